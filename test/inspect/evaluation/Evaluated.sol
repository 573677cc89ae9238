// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

// A contract whose values are known at the marked statements.

enum Level { Low, Middle, High }

type Price is uint128;

uint256 constant FACTOR = 3;

interface IToken {
    function balanceOf(address owner) external view returns (uint256);
    function move(address to, uint256 amount) external;
}

contract Token is IToken {
    error Poor(address owner, uint256 has);

    mapping(address => uint256) public balances;

    constructor(address holder) {
        balances[holder] = 1000;
    }

    function balanceOf(address owner) external view returns (uint256) {
        return balances[owner];
    }

    function move(address to, uint256 amount) external {
        if (balances[msg.sender] < amount) revert Poor(msg.sender, balances[msg.sender]);
        balances[msg.sender] -= amount;
        balances[to] += amount;
    }

    function check(address owner) external view returns (bool) {
        if (balances[owner] == 0) revert Poor(owner, 0);
        return true;
    }

    function caller() external view returns (address, address, uint256, uint256) {
        return (msg.sender, tx.origin, tx.gasprice, block.basefee);
    }
}

library Sums {
    uint256 internal constant START = 5;

    function twice(uint256 value) internal pure returns (uint256) {
        return value * 2;
    }
}

abstract contract Base {
    uint256 private hidden = 11;
    uint256 internal inherited = 12;
    uint256 internal constant INHERITED = 13;

    modifier limited(uint256 total) {
        require(total < 100, "limited"); // @step modifier
        _;
    }
}

contract Evaluated is Base {
    struct Order {
        uint64 amount;
        address owner;
        Level level;
        uint16[] parts;
        string note;
    }

    uint256 public total = 7;
    uint8 internal small = 200;
    int16 internal negative = -5;
    bool internal flag = true;
    bytes4 internal sig = 0x12345678;
    string internal short = "short";
    string internal long = "a text of more than thirty-one bytes, in several slots";
    bytes internal blob = hex"0102030405";
    Order internal order;
    Order[] internal orders;
    mapping(address => uint256) internal balances;
    mapping(address => mapping(string => Order)) internal nested;
    mapping(Level => uint256) internal byLevel;
    uint16[5] internal fixedItems = [1, 2, 3, 4, 5];
    uint24[] internal packed;
    IToken internal token;
    Price internal price = Price.wrap(99);
    Level internal level = Level.Middle;
    uint256 internal transient counter;

    uint256 internal constant LIMIT = 10 ** 3 * FACTOR + 1 ether / 1 gwei;
    bytes32 internal constant KEY = keccak256("key");
    string internal constant NAME = "Evaluated";
    uint256 public immutable born;
    address internal immutable maker;

    event Ran(uint256 amount);

    constructor(IToken given) payable {
        token = given;
        born = 42; // @step constructor
        maker = msg.sender;
        order = Order(5, msg.sender, Level.High, new uint16[](2), "first");
        order.parts[1] = 9;
        orders.push(order);
        orders.push(Order(6, address(this), Level.Low, new uint16[](0), "second"));
        for (uint24 i = 0; i < 12; i++) packed.push(i * 1000);
        balances[msg.sender] = 50;
        nested[msg.sender]["key"].amount = 77;
        byLevel[Level.High] = 88;
    }

    function run(uint256 amount, int8 delta, string calldata title, uint256[] calldata list)
        external
        payable
        returns (uint256 result)
    {
        uint128 narrow = 2 ** 127;
        Order memory copied = order;
        Order storage stored = orders[1];
        address who = msg.sender;
        uint256[] memory made = new uint256[](3);
        made[2] = amount * 2;
        bytes memory data = abi.encode(amount);
        total = amount;
        counter = counter + 1;
        balances[who] += amount;
        token.move(who, 10);
        result = Sums.twice(amount) + list.length; // @step run
        narrow; copied; stored; made; data; delta; title;
        emit Ran(amount);
    }

    function shadow(uint256 total) external limited(total + 1) returns (uint256 small) {
        small = total; // @step shadow
    }

    function outer() external returns (uint256) {
        try this.inner(5) {
            return 1;
        } catch {
            return total; // @step caught
        }
    }

    function inner(uint256 value) external {
        total = value;
        counter = value;
        token.move(address(1), value);
        require(value == 0, "inner"); // @step inner
    }

    function sum(uint256 left, uint256 right) public pure returns (uint256) {
        return left + right;
    }

    function sum(uint256[] memory values) external pure returns (uint256 added) {
        for (uint256 i = 0; i < values.length; i++) added += values[i];
    }

    function now_() external view returns (uint256, uint256) {
        return (total, counter);
    }

    function whoAmI() public view returns (address) {
        return msg.sender;
    }

    function orderAt(uint256 index) external view returns (Order memory) {
        return orders[index];
    }

    function levelOf(Order calldata given) external pure returns (Level) {
        return given.level;
    }

    function priced(Price given) external pure returns (Price) {
        return given;
    }

    function write() external returns (uint256) {
        total = 1;
        return total;
    }

    function log() external returns (uint256) {
        emit Ran(1);
        return 1;
    }

    function loop() external pure {
        while (true) {}
    }

    function secret() internal pure returns (uint256) {
        return 1;
    }

    receive() external payable {}
}

contract Child {
    uint256 public value;
    uint256 internal transient held;

    constructor(uint256 given) payable {
        value = given;
        held = given + 1;
    }

    function locked() external view returns (uint256) {
        return held;
    }

    function close(address payable to) external {
        to.transfer(address(this).balance);
    }
}

contract Parent {
    Child public child;

    function make() external payable {
        child = new Child{value: msg.value}(33);
        address payable to = payable(address(uint160(77)));
        child.close(to);
        to.transfer(0); // @step made
        try this.fail() {
            child = Child(address(0));
        } catch {
            to.transfer(0); // @step undone
        }
    }

    function fail() external {
        child = new Child(44);
        require(address(child) == address(0), "fail"); // @step failing
    }
}

contract Proxy {
    address internal implementation;
    uint256 internal other;

    constructor(address target) {
        implementation = target;
    }

    fallback() external payable {
        address target = implementation;
        assembly {
            calldatacopy(0, 0, calldatasize())
            let ok := delegatecall(gas(), target, 0, calldatasize(), 0, 0)
            returndatacopy(0, 0, returndatasize())
            switch ok
            case 0 { revert(0, returndatasize()) }
            default { return(0, returndatasize()) }
        }
    }
}

contract Delegated {
    address internal implementation;
    uint256 public count;

    function raise(uint256 by) external returns (uint256) {
        count += by;
        return count; // @step delegated
    }

    function sender() public view returns (address) {
        return msg.sender;
    }
}
