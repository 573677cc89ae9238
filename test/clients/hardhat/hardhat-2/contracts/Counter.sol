// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {Initializable} from "@openzeppelin/contracts/proxy/utils/Initializable.sol";

/// To stand behind a transparent proxy.
contract Counter is Initializable {
    uint256 public count;

    function initialize(uint256 start) external initializer {
        count = start;
    }

    function increment() external {
        count += 1;
    }
}
