// SPDX-License-Identifier: MIT
pragma solidity ^0.8.31;

/// Says how many bits numbers have, by an opcode that Osaka brought, and keeps the largest answer.
contract Widths {
    uint256 public largest;

    event Wider(uint256 bits);

    function widthOf(uint256 input) public pure returns (uint256 bits) {
        assembly {
            bits := sub(256, clz(input))
        }
    }

    function record(uint256 number) external {
        uint256 bits = widthOf(number);
        require(bits > largest, "not wider");
        largest = bits;
        emit Wider(bits);
    }
}
