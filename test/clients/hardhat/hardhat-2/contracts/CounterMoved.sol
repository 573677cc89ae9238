// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {Initializable} from "@openzeppelin/contracts/proxy/utils/Initializable.sol";

/// Has something else in the storage where Counter has its count: no proxy may be upgraded to it.
contract CounterMoved is Initializable {
    address public first;
    uint256 public count;
}
