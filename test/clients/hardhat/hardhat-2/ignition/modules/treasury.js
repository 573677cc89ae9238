const { buildModule } = require('@nomicfoundation/hardhat-ignition/modules');

module.exports = buildModule('Treasury', (m) => {
  const token = m.contract('Token', [1_000_000n]);
  const treasury = m.contract('Treasury', [token]);
  const funded = m.call(token, 'transfer', [treasury, 600_000n]);
  m.call(treasury, 'setBudget', [m.getAccount(1), 250n], { after: [funded] });
  return { token, treasury };
});
