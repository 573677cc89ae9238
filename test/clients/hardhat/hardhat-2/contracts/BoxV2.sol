// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {Box} from "./Box.sol";

contract BoxV2 is Box {
    function double() external {
        value *= 2;
    }

    function version() external pure override returns (string memory) {
        return "2";
    }
}
