// SPDX-License-Identifier: MIT
pragma solidity ^0.8.31;

import {Widths} from "../src/Widths.sol";

contract WidthsTest {
    Widths private widths = new Widths();

    function testWidths() external {
        require(widths.widthOf(0) == 0 && widths.widthOf(255) == 8 && widths.widthOf(type(uint256).max) == 256);
        widths.record(1 << 200);
        require(widths.largest() == 201);
    }

    /// The node is what is forked: its first account has funds, and it has blobs.
    function testForkOfTheNode() external view {
        require(block.chainid == 33);
        require(0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266.balance > 0);
        require(block.blobbasefee == 1);
    }
}
