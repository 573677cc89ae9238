// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {Counter} from "./Counter.sol";

contract CounterV2 is Counter {
    uint256 public decrements;

    function decrement() external {
        count -= 1;
        decrements += 1;
    }
}
