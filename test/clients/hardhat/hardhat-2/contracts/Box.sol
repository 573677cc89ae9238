// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {Initializable} from "@openzeppelin/contracts/proxy/utils/Initializable.sol";
import {UUPSUpgradeable} from "@openzeppelin/contracts/proxy/utils/UUPSUpgradeable.sol";

/// To stand behind a proxy that it upgrades itself (ERC-1822).
contract Box is Initializable, UUPSUpgradeable {
    error NotOwner();

    address public owner;
    uint256 public value;

    function initialize(uint256 start) external initializer {
        owner = msg.sender;
        value = start;
    }

    function version() external pure virtual returns (string memory) {
        return "1";
    }

    function _authorizeUpgrade(address) internal view override {
        if (msg.sender != owner) revert NotOwner();
    }
}
