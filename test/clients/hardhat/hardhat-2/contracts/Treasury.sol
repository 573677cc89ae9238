// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

/// Pays out a token to whom its budgets name.
contract Treasury {
    event BudgetSet(address indexed account, uint256 amount);

    IERC20 public immutable token;
    mapping(address account => uint256 amount) public budgets;

    constructor(IERC20 paidToken) {
        token = paidToken;
    }

    function setBudget(address account, uint256 amount) external {
        budgets[account] = amount;
        emit BudgetSet(account, amount);
    }

    function pay(address to, uint256 amount) external {
        budgets[to] -= amount;
        require(token.transfer(to, amount), "Not paid");
    }
}
