import { describe, expect, it } from 'vitest';
import { scaledAmount } from '../../src/explorer/argument-units.ts';
import { editorUrl } from '../../src/explorer/editor-url.ts';
import { targetAt, targetParameter, targetPlace } from '../../src/explorer/execution-target.ts';

const ETHER_AND_A_HALF = '1500000000000000000';

function scaled(name: string, value = ETHER_AND_A_HALF, type = 'uint256', token = null as never) {
  return scaledAmount({ name, type, value }, token)?.text ?? null;
}

describe('scaledAmount', () => {
  it.each([
    'amount',
    'balance',
    'needed',
    'msgValue',
    'minAmounts',
    'available_wei',
    'ETH',
    'depositRequired',
  ])('reads %s as an amount of ether', (name) => expect(scaled(name)).toBe('1.5 ether'));

  it.each(['', 'id', 'tokenId', 'deadline', 'fee', 'price', 'rate', 'evaluation', 'imbalanced'])(
    'does not scale the parameter "%s", because its name is no amount',
    (name) => expect(scaled(name)).toBe(null),
  );

  it('leaves small amounts, short types and other values unscaled', () => {
    expect(scaled('amount', '5')).toBe(null);
    expect(scaled('amount', '1000000000000')).toBe('0.000001 ether');
    expect(scaled('amount', ETHER_AND_A_HALF, 'uint32')).toBe(null);
    expect(scaled('amount', ETHER_AND_A_HALF, 'uint96')).toBe('1.5 ether');
    expect(scaled('amount', '-2000000000000000000', 'int256')).toBe('−2 ether');
    expect(scaled('amount', '0x12', 'bytes32')).toBe(null);
    expect(scaledAmount({ name: 'amount', type: 'uint256[]', value: ['1'] }, null)).toBe(null);
  });

  it('scales amounts of a token by its decimals, and amounts of ether in the same error', () => {
    const token = { decimals: 6, symbol: 'USD' };
    const of = (name: string, value: string) => scaledAmount({ name, type: 'uint256', value }, token)?.text;
    expect(of('balance', '2500000')).toBe('2.5 USD');
    expect(of('amountWei', ETHER_AND_A_HALF)).toBe('1.5 ether');
    expect(scaledAmount({ name: 'balance', type: 'uint256', value: '5' }, { decimals: 0, symbol: 'N' })).toBe(
      null,
    );
  });

  it('states that the unit of ether is a reading of the name', () => {
    expect(scaledAmount({ name: 'amount', type: 'uint256', value: ETHER_AND_A_HALF }, null)?.reason).toBe(
      'if “amount” is an amount in wei; the ABI contains no units',
    );
  });
});

describe('editorUrl', () => {
  const code = 'vscode://file/{path}:{line}:{column}';

  it('fills the template with the encoded path', () => {
    expect(editorUrl(code, '/home/a b/contracts/Token#1.sol', 7, 3)).toBe(
      'vscode://file//home/a%20b/contracts/Token%231.sol:7:3',
    );
    expect(editorUrl('idea://open?file={path}&line={line}', '/p/a&b?.sol', 7, 3)).toBe(
      'idea://open?file=/p/a%26b%3F.sol&line=7',
    );
  });

  it('keeps the drive of a Windows path', () => {
    expect(editorUrl(code, 'C:\\code\\Token.sol', 1, 1)).toBe('vscode://file/C:/code/Token.sol:1:1');
  });

  it('does not read placeholders in the path', () => {
    expect(editorUrl(code, '/{line}/A.sol', 2, 1)).toBe('vscode://file//%7Bline%7D/A.sol:2:1');
  });
});

describe('targetAt', () => {
  const hash = `0x${'ab'.repeat(32)}`;
  const call = { call: { to: `0x${'11'.repeat(20)}`, data: '0x' }, block: '0x7', hardfork: 'prague' };

  it.each([hash, 3, call])('reads the target that targetPlace writes', (target) => {
    const { subject, query } = targetPlace(target);
    expect(targetAt(subject, new URLSearchParams(query))).toEqual(target);
  });

  it.each(['', 'tx', 'tx/0x12', 'failure/0', 'failure/x', 'failure/1/2', 'call', `other/${hash}`])(
    'rejects %s',
    (subject) => expect(targetAt(subject, new URLSearchParams())).toBe(null),
  );

  it.each(['', 'x', '[]', '{"call":1}', 'null'])('rejects the call %s', (text) => {
    expect(targetAt('call', new URLSearchParams({ call: text }))).toBe(null);
  });

  it('names a failure in the parameter of a method', () => {
    expect(targetParameter(3)).toEqual({ failure: 3 });
    expect(targetParameter(hash)).toBe(hash);
  });
});
