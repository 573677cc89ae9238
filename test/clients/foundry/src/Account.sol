// SPDX-License-Identifier: MIT
pragma solidity ^0.8.31;

/// An account whose owner signs user operations (ERC-4337); the owner is who creates it.
contract Account {
    struct PackedUserOperation {
        address sender;
        uint256 nonce;
        bytes initCode;
        bytes callData;
        bytes32 accountGasLimits;
        uint256 preVerificationGas;
        bytes32 gasFees;
        bytes paymasterAndData;
        bytes signature;
    }

    address private constant ENTRY_POINT = 0x4337084D9E255Ff0702461CF8895CE9E3b5Ff108;
    address private immutable owner = msg.sender;

    modifier onlyEntryPoint() {
        require(msg.sender == ENTRY_POINT, "not the entry point");
        _;
    }

    receive() external payable {}

    function validateUserOp(PackedUserOperation calldata operation, bytes32 hash, uint256 missingFunds)
        external
        onlyEntryPoint
        returns (uint256)
    {
        bytes calldata signature = operation.signature;
        address signer =
            ecrecover(hash, uint8(signature[64]), bytes32(signature[0:32]), bytes32(signature[32:64]));
        (bool isPaid,) = msg.sender.call{value: missingFunds}("");
        return isPaid && signer == owner ? 0 : 1;
    }

    function pay(address payable to, uint256 amount) external onlyEntryPoint {
        (bool isDone,) = to.call{value: amount}("");
        require(isDone, "the payment failed");
    }
}
