// SPDX-License-Identifier: MIT
pragma solidity ^0.8.31;

import {Widths} from "../src/Widths.sol";

interface Vm {
    function startBroadcast() external;
    function stopBroadcast() external;
}

contract Deploy {
    bool public constant IS_SCRIPT = true;
    Vm private constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));

    function run() external {
        vm.startBroadcast();
        Widths widths = new Widths();
        widths.record(1 << 99);
        vm.stopBroadcast();
    }
}
