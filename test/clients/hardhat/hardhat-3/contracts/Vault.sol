// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

/// Keeps ether until a point in time.
contract Vault {
    error NotOwner(address caller, address owner);

    event Deposited(address indexed from, uint256 amount);
    event Withdrawn(address indexed to, uint256 amount, uint256 when);

    address public immutable owner;
    uint256 public immutable unlockTime;
    uint256[] public deposits;

    constructor(uint256 time) payable {
        require(time > block.timestamp, "Unlock time is in the past");
        owner = msg.sender;
        unlockTime = time;
    }

    function deposit() external payable {
        require(msg.value > 0);
        deposits.push(msg.value);
        emit Deposited(msg.sender, msg.value);
    }

    function average() external view returns (uint256) {
        return address(this).balance / deposits.length;
    }

    function withdraw() external {
        if (msg.sender != owner) revert NotOwner(msg.sender, owner);
        require(block.timestamp >= unlockTime, "Locked");
        uint256 amount = address(this).balance;
        emit Withdrawn(msg.sender, amount, block.timestamp);
        payable(msg.sender).transfer(amount);
    }
}
