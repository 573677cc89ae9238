// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

type Price is uint128;

library Doubling {
    function doubled(uint256 self, uint256 more) internal pure returns (uint256 result) {
        uint256 twice = self * 2;
        result = twice + more; // @see self=4 more=1 twice=8 result=0
    }
}

abstract contract Base {
    uint256 public base;

    constructor(uint256 start) {
        uint256 next = start + 1;
        base = next; // @see start=70 next=71
    }
}

contract Variables is Base {
    using Doubling for uint256;

    enum Color { Red, Green, Blue }

    struct Inner { uint8 small; string name; }
    struct Order { uint256 amount; address owner; Inner inner; uint16[2] pair; }

    uint256 public total;
    Order public stored;
    mapping(address => uint256) public balances;

    constructor(uint256 first, string memory text) Base(first * 10) {
        uint256 length = bytes(text).length;
        total = first + length; // @see first=7 text=hello length=5
    }

    modifier counted(uint256 limit) {
        uint256 before = total;
        total = before + 1; // @see before=12 limit=100
        _;
        total = before; // @see before=12 limit=100
    }

    function values(uint256 a, int8 b, bool c, address d, bytes4 e) external returns (uint256 sum, Color color) {
        Price price = Price.wrap(77);
        color = Color.Blue; // @see a=5 b=-3 c=true d=0x000000000000000000000000000000000000dEaD e=0x12345678 price=77 sum=0 color=Red
        (uint256 left, , uint8 right) = three();
        sum = a + left + right; // @see left=11 right=13 color=Blue sum=0
        function(uint256) external returns (uint256) pointer = this.recursive;
        function(uint256) internal pure returns (uint256) inner = identity;
        total = inner(sum); // @see sum=29
        Variables self = this;
        balances[d] = uint256(uint160(address(self))) + uint32(pointer.selector); // @see a=5 sum=29 left=11
    }

    function three() internal pure returns (uint256 x, uint256, uint8 z) {
        x = 11;
        z = 13; // @see x=11 z=0
    }

    function identity(uint256 same) internal pure returns (uint256) {
        return same; // @see same=29
    }

    function references(string memory text, bytes calldata data, uint256[] calldata list) external {
        uint256[] memory copy = list;
        copy[0] = 10; // @see text=text data=0xabcdef list=[1,2,3] copy=[1,2,3]
        Order memory order;
        order.amount = copy[0]; // @see copy=[10,2,3] order=[amount:0,owner:0x0000000000000000000000000000000000000000,inner:[small:0,name:],pair:[0,0]]
        order.inner = Inner(3, text);
        order.pair[1] = 8; // @see order=[amount:10,owner:0x0000000000000000000000000000000000000000,inner:[small:3,name:text],pair:[0,0]]
        Order storage place = stored;
        place.amount = order.amount; // @see place=storage~0x0000000000000000000000000000000000000000000000000000000000000002
        bytes memory joined = abi.encodePacked(text, data);
        total = joined.length; // @see joined=0x74657874abcdef
        string[] memory names = new string[](2);
        names[1] = text;
        total = names.length; // @see names=[,text]
        bytes calldata part = data[1:];
        total = part.length; // @see part=0xcdef data=0xabcdef
    }

    function blocks(uint256 rounds) external {
        uint256 sum;
        for (uint256 i = 0; i < rounds; i++) {
            uint256 square = i * i;
            sum += square;
        }
        {
            uint256 first = 1;
            total = first; // @see first=1 square=none i=none sum=5
        }
        uint256 second = sum + 2;
        total = second; // @see second=7 first=none sum=5 rounds=3
    }

    function recursive(uint256 depth) external returns (uint256) {
        return descend(depth);
    }

    function descend(uint256 depth) internal returns (uint256 reached) {
        uint256 next = depth == 0 ? 0 : depth - 1;
        if (depth == 0) return 1;
        reached = descend(next) + 1;
        total = reached + depth + next;
    }

    function modified(uint256 given) external counted(100) returns (uint256 result) {
        uint256 local = given + 1;
        result = local; // @see given=9 local=10 result=0
    }

    function attached(uint256 number) external {
        uint256 result = number.doubled(1);
        total = result; // @see number=4 result=9 self=none
    }

    function caught() external {
        uint256 kept = 3;
        try this.fails(kept) returns (uint256 value) {
            total = value;
        } catch Error(string memory reason) {
            uint256 length = bytes(reason).length; // @see reason=nope
            total = length; // @see kept=3 length=4 reason=nope
        }
        total = kept; // @see kept=3 length=none reason=none
        try this.passes(0) returns (uint256 value) {
            total = value + kept; // @see value=0 kept=3
        } catch (bytes memory) {}
        for (uint256 i = 0; i < 2; i++) {
            try this.panics(i) {
                total = i;
            } catch (bytes memory data) {
                total = data.length; // @see data=0x4e487b710000000000000000000000000000000000000000000000000000000000000001 kept=3
            }
        }
    }

    function passes(uint256 code) external pure returns (uint256) {
        return code;
    }

    function panics(uint256 code) external pure {
        assert(code == 7);
    }

    modifier limited(uint256 most) {
        require(total <= most); // @see most=22
        _;
        total = most; // @see most=22 text=none
    }

    modifier named(string memory text, uint8 small) {
        uint256 length = bytes(text).length;
        total = length + small; // @see text=words small=9 length=5
        _;
        total = length; // @see text=words small=9 length=5 most=none
    }

    function converted(string calldata words, uint8 number) external named(words, number + 1) limited(total + doubledOf(4)) {
        total = number; // @see words=words number=8
    }

    function doubledOf(uint256 self) internal pure returns (uint256) {
        return self * 2;
    }

    function nested(string[] calldata words, Order[] calldata orders, uint256[2][] calldata pairs) external {
        total = words.length; // @see words=[one,two] pairs=[[1,2],[3,4]]
        Order calldata order = orders[0];
        total = order.amount; // @see order=[amount:5,owner:0x000000000000000000000000000000000000dEaD,inner:[small:6,name:deep],pair:[7,8]]
        string calldata word = words[1];
        total = bytes(word).length; // @see word=two
    }

    function fails(uint256 code) external pure returns (uint256) {
        require(code == 0, 'nope'); // @see code=3
        return code;
    }
}
