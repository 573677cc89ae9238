// SPDX-License-Identifier: MIT
pragma solidity ^0.8.20;

/// Keeps the balance of each owner.
contract Ledger {
    error InsufficientBalance(address owner, uint256 balance, uint256 needed);

    mapping(address => uint256) public balanceOf;

    function credit(address owner, uint256 amount) external {
        balanceOf[owner] += amount;
    }

    function debit(address owner, uint256 amount) external {
        uint256 balance = balanceOf[owner];
        if (amount > balance) {
            revert InsufficientBalance(owner, balance, amount);
        }
        balanceOf[owner] = balance - amount;
    }
}

/// Pays deposits back, without a fee.
contract Vault {
    Ledger public immutable ledger = new Ledger();
    uint256 public fee = 0.01 ether;
    uint256 public withdrawals;

    function deposit() external payable {
        ledger.credit(msg.sender, msg.value - fee);
    }

    function withdraw(uint256 amount) external {
        uint256 total = _withFee(amount);
        _pay(msg.sender, total);
    }

    function _withFee(uint256 amount) internal view returns (uint256) {
        uint256 total = amount + fee;
        return total;
    }

    function _pay(address owner, uint256 total) internal {
        withdrawals += 1;
        ledger.debit(owner, total);
        payable(owner).transfer(total);
    }
}
