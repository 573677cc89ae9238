// SPDX-License-Identifier: MIT
pragma solidity ^0.8.31;

/// Makes several calls for an account that delegates to it (EIP-7702).
contract Batch {
    struct Call {
        address to;
        uint256 value;
        bytes data;
    }

    function run(Call[] calldata calls) external payable {
        require(msg.sender == address(this), "not the account itself");
        for (uint256 index = 0; index < calls.length; index++) {
            (bool isDone,) = calls[index].to.call{value: calls[index].value}(calls[index].data);
            require(isDone, "a call failed");
        }
    }
}
