// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

contract Other {
  error TooMuch(uint256 asked, uint256 held);

  event Taken(address indexed by, uint256 amount);

  uint256 public held = 10;

  function take(uint256 amount) external returns (uint256) {
    if (amount > held) {
      revert TooMuch(amount, held);
    }
    held -= amount;
    emit Taken(msg.sender, amount);
    return held;
  }
}

contract Code {
  uint256 public total;

  function store(uint256 value) external {
    total = value;
  }
}

contract Main {
  struct Part {
    uint256 size;
    string name;
  }

  uint256 public total;
  uint256[] public items;
  mapping(address => uint256) public balances;
  Part public part;
  Other immutable other;
  Code immutable code;
  uint256 transient depth;

  constructor() {
    other = new Other();
    code = new Code();
  }

  function run(uint256 amount) external returns (uint256) {
    uint256 doubled = double(amount);
    total = doubled;
    balances[msg.sender] = doubled;
    uint256 left = other.take(amount);
    total += left;
    log("done");
    return total;
  }

  function double(uint256 value) internal pure returns (uint256) {
    uint256 result = value * 2;
    return result;
  }

  function delegate(uint256 value) external {
    (bool ok, ) = address(code).delegatecall(abi.encodeCall(Code.store, (value)));
    require(ok, "store failed");
    total = total + 1;
  }

  function loop(uint256 count) external {
    for (uint256 index = 0; index < count; index++) {
      items.push(index * 3);
    }
    part = Part(count, "part");
    depth = count;
    uint256[] memory copy = items;
    total = copy.length;
  }

  function caught(uint256 amount) external {
    try other.take(amount) {
      total = 1;
    } catch {
      total = 2;
    }
    divide(total, 0);
  }

  function divide(uint256 left, uint256 right) internal pure returns (uint256) {
    return left / right;
  }

  function spin(uint256 count) external pure returns (uint256) {
    uint256 sum = 0;
    for (uint256 index = 0; index < count; index++) {
      sum = sum + index;
    }
    require(sum == 1, "spun");
    return sum;
  }

  function log(string memory text) internal view {
    (bool ok, ) = address(0x000000000000000000636F6e736F6c652e6c6f67).staticcall(
      abi.encodeWithSignature("log(string)", text)
    );
    ok;
  }
}
