/** A behaviour in compat mode `anvil` that a test of Anvil does not accept. */
export interface Decision {
  readonly question: string;
  readonly anvil: string;
  readonly node: string;
  readonly reason: string;
  /** The tests of Anvil, as `file::test`. */
  readonly tests: readonly string[];
}

export const DECISIONS: readonly Decision[] = [
  {
    question: 'transactions of one JSON-RPC batch, or of parallel requests, with automine',
    anvil: 'one block',
    node: 'one block for each transaction',
    reason: 'a transaction is mined before its hash is returned, so that clients always find the receipt',
    tests: [
      'transaction::instant_mine_groups_json_rpc_batch_in_one_block',
      'transaction::instant_mine_groups_in_process_parallel_http_in_one_block',
    ],
  },
  {
    question: '`evm_setTime` with a time before the newest block',
    anvil: 'the next block is older than its parent',
    node: 'the next block is one second after its parent',
    reason: 'no Ethereum client accepts a block that is older than its parent',
    tests: ['anvil_api::test_evm_set_time_in_past'],
  },
  {
    question: '`eth_simulateV1` with `accessList` and without `gasPrice` under berlin',
    anvil: 'an error: the call has type 2',
    node: 'the call has type 1',
    reason: 'type 1 is the type with an access list under berlin, and no field requests type 2',
    tests: ['eip4844::simulate_v1_executes_the_canonical_transaction_type'],
  },
  {
    question: 'block ids and `blob_sidecars` of the Beacon API',
    anvil: 'a number is a block number, and JSON-RPC tags are ids; 410 for `blob_sidecars`',
    node: 'a number is a slot, one second long; the blobs with commitments and proofs',
    reason:
      'clients of consensus nodes compute the slot from the time of the block, and older ones read sidecars',
    tests: ['beacon_api::test_beacon_api_get_blobs', 'beacon_api::test_beacon_api_get_blob_sidecars'],
  },
  {
    question: '`eth_simulateV1` on a block before the fork block, with a timestamp interval',
    anvil: 'the blocks are an interval of the fork apart',
    node: 'the upstream simulates the blocks with its own interval',
    reason: 'the upstream has the state of that block; the fork forwards the request unchanged',
    tests: ['simulate::test_fork_simulate_normalizes_delegated_block_sequence_rpc'],
  },
  {
    question: '`eth_simulateV1` with validation and a sender with the nonce 2^64 - 1',
    anvil: '-32603',
    node: '-32000, with the same message',
    reason: 'the code -32603 means a bug of the node',
    tests: ['simulate::test_simulate_maps_validation_errors'],
  },
  {
    question: 'a fork with fallback URLs of different chains',
    anvil: 'an error at the start',
    node: 'a fallback URL is called only after the first URL fails',
    reason: 'a check of every URL would slow down each start',
    tests: ['fork::validates_every_fork_url_uses_the_same_supported_network'],
  },
];

/** Tests of Anvil that cannot run on this node, by reason. */
export const EXCLUDED: Readonly<Record<string, readonly string[]>> = {
  'rules of another network (BNB Smart Chain, Celo, Arbitrum, Base, Optimism, Tempo, Monad, ZKsync)': [
    'anvil::bsc_haber_p256_is_available_for_calls_and_mining',
    'anvil::bsc_fork_execution_chain_override_preserves_p256',
    'anvil::bsc_default_timestamp_enables_p256_immediately',
    'anvil::bsc_pre_haber_eth_config_omits_p256',
    'anvil_api::fork_resets_allow_celo_as_a_non_monad_source',
    'anvil_api::nested_custom_chain_celo_fork_preserves_execution_profile',
    'anvil_api::can_replay_arbitrum_transaction_with_priority_fee_above_max_fee',
    'anvil_api::can_get_node_info_tempo_t0',
    'anvil_api::can_get_node_info_tempo_t5_from_chain_timestamp',
    'anvil_api::can_get_node_info_tempo_t1',
    'anvil_api::can_get_node_info_monad',
    'anvil_api::can_get_node_info_optimism',
    'anvil_api::can_get_default_base_fee_tempo_t0',
    'eip2935::tempo_spec_id_does_not_enable_ethereum_block_transitions',
    'eip2935::optimism_spec_id_does_not_enable_ethereum_block_transitions',
    'simulate::test_simulate_v1_rejects_precompile_moves_on_tempo_rpc',
    'simulate::test_simulate_v1_rejects_precompile_moves_on_monad_rpc',
    'simulate::test_simulate_v1_rejects_precompile_moves_on_optimism_rpc',
    'fork::test_config_with_prague_hardfork_with_celo',
    'fork::test_fork_optimism_with_transaction_hash',
    'fork::flaky_test_fork_reset_moonbeam',
    'fork::flaky_test_arbitrum_fork_dev_balance',
    'fork::flaky_test_arb_fork_mining',
    'fork::flaky_test_arbitrum_fork_block_number',
    'fork::test_base_fork_gas_limit',
    'fork::test_immutable_fork_transaction_hash',
    'fork::validates_fork_source_chain_instead_of_local_chain_id',
    'fork::test_anvil_set_rpc_url_rejects_zksync_source_atomically',
    'fork::test_anvil_reset_rejects_zksync_source_atomically',
    'fork::test_anvil_reset_from_local_node_rejects_zksync_source_atomically',
  ],
  'precompiled contracts in Rust, which the test adds to the node': [
    'eip2935::ethereum_block_start_transitions_use_consensus_order',
    'eip2935::complete_block_paths_run_post_transitions_once',
    'eip2935::transaction_prefix_replay_does_not_drain_post_block_queues',
    'eip2935::eip2935_local_block_replay_propagates_pre_execution_errors',
    'simulate::test_simulate_v1_rejects_lookup_only_precompile_move_rpc',
    'simulate::test_prague_requests_use_genesis_deposit_contract_and_consensus_order_rpc',
    'fork::test_config_with_osaka_hardfork_with_precompile_factory',
  ],
  'objects inside Anvil: its detection of networks, its cache files, its listeners': [
    'fork::test_fork_rejects_anvil_node_info_rpc_error',
    'fork::test_fork_rejects_node_info_failure_after_anvil_identification',
    'fork::test_fork_reset_keeps_node_info_probe_strict_after_identification_during_staging',
    'fork::test_anvil_set_rpc_url_keeps_node_info_strict_without_mutation',
    'fork::test_reset_updates_cache_path_when_rpc_url_not_provided',
    'fork::flaky_test_reset_fork_on_new_blocks',
    'pubsub::test_sub_transaction_receipts_cleanup_on_unsubscribe',
    'simulate::test_fork_simulate_preserves_delegated_base_selector_rpc',
  ],
  'hardforks by the time of the block; a chain of this node has one rule set': [
    'eip4844::simulate_v1_updates_blob_schedule_at_bpo_timestamp',
    'fork::test_fork_transaction_hash_replay_resolves_source_hardfork',
    'fork::test_fork_transaction_hash_replay_applies_source_beacon_root',
    'fork::test_fork_reset_updates_bpo_blob_schedule_in_both_directions',
    'fork::test_memory_reset_restores_selected_blob_schedule_in_both_directions',
  ],
  'blocks of the main network before the merge, the frontier rules, or a genesis file with a fork': [
    'fork::test_fork_init_blob_base_fee_with_explicit_base_fee',
    'fork::test_fork_uncles_fetch',
    'fork::test_total_difficulty_fork',
    'fork::test_fork_reset_restores_explicit_genesis_base_fee',
    'simulate::test_simulate_historical_tombstone_matches_latest_rpc',
  ],
};
