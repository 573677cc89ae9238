// SPDX-License-Identifier: MIT
pragma solidity ^0.8.26;

library Checks {
  error TooLarge(uint256 given, uint256 most);

  function atMost(uint256 given, uint256 most) external pure returns (uint256) {
    if (given > most) revert TooLarge(given, most);
    return given;
  }
}

contract Failing {
  error Refused(address caller, uint256 amount);

  uint256 public total;
  uint256[] public entries;

  modifier onlySmall(uint256 amount) {
    require(amount < 100, 'amount is not small');
    _;
  }

  function panic(uint256 amount) external returns (uint256) {
    total = _entry(amount);
    return total;
  }

  function customError(uint256 amount) external returns (uint256) {
    total = amount;
    return _afterRefusal(amount);
  }

  function reason(uint256 amount) external onlySmall(amount) returns (uint256) {
    total = amount;
    return total;
  }

  function fromLibrary(uint256 amount) external returns (uint256) {
    total = Checks.atMost(amount, 100);
    return total;
  }

  function fromConstructor(uint256 amount) external returns (uint256) {
    total = amount;
    return address(new Picky(amount)).balance;
  }

  function fromHeir(uint256 amount) external returns (uint256) {
    total = amount;
    return address(new Heir(amount)).balance;
  }

  function endless(uint256 amount) external returns (uint256) {
    while (amount > 0) total++;
    return total;
  }

  function narrow(uint8 amount) external returns (uint256) {
    total = amount;
    return total;
  }

  function _entry(uint256 index) private view returns (uint256) {
    return entries[index];
  }

  function _afterRefusal(uint256 amount) private view returns (uint256) {
    if (amount > 100) revert Refused(msg.sender, amount);
    return amount;
  }
}

contract Picky {
  uint256 public immutable amount;

  constructor(uint256 given) {
    amount = _checked(given);
  }

  function _checked(uint256 given) private pure returns (uint256) {
    require(given < 100, 'given is not small');
    return given;
  }
}

contract Heir is Picky {
  constructor(uint256 given) Picky(given) {}
}
