import { lower } from '../scene.ts'
import { type KnownFunction, knownFunction, knownPlain } from './functions.ts'

/** A function that gives control away; its argument `nth` is who gets it. */
const control = (name: string, params: string, nth: number | undefined): KnownFunction =>
  knownFunction(name, params, ((args: readonly unknown[], { path }, { scene, mention }) => {
    const to = nth === undefined ? undefined : lower(String(args[nth]))
    scene.controls.push({ what: name, to: to && mention(to, 'new controller', path), path })
  }) as Parameters<typeof knownFunction>[2])

/** A name that drainers give the function that takes the coins. */
const lure = (name: string) =>
  knownPlain(name, ({ value, path }, { scene }) => void scene.lures.push({ name, value, path }))

const quiet = (name: string, params: string): KnownFunction => knownFunction(name, params, () => undefined)

/** Functions that control a contract or an account, bear drainers' names, or move nothing. */
export const controlFunctions: readonly KnownFunction[] = [
  control('transferOwnership', 'address newOwner', 0),
  control('setOwner', 'address newOwner', 0),
  knownPlain('renounceOwnership', ({ path }, { scene }) => {
    scene.controls.push({ what: 'renounceOwnership', to: undefined, path })
  }),
  knownPlain('acceptOwnership'),
  control('changeAdmin', 'address newAdmin', 0),
  control('setAdmin', 'address newAdmin', 0),
  control('changeProxyAdmin', 'address proxy, address newAdmin', 1),
  control('upgradeTo', 'address newImplementation', 0),
  control('upgradeToAndCall', 'address newImplementation, bytes data', 0),
  control('upgrade', 'address proxy, address implementation', 1),
  control('upgradeAndCall', 'address proxy, address implementation, bytes data', 1),
  control('setImplementation', 'address implementation', 0),
  control('grantRole', 'bytes32 role, address account', 1),
  quiet('revokeRole', 'bytes32 role, address account'),
  quiet('renounceRole', 'bytes32 role, address account'),
  control('setMinter', 'address minter', 0),
  control('addMinter', 'address minter', 0),
  control('setAuthority', 'address authority', 0),
  control('addOwnerWithThreshold', 'address owner, uint256 threshold', 0),
  control('removeOwner', 'address previous, address owner, uint256 threshold', undefined),
  control('swapOwner', 'address previous, address oldOwner, address newOwner', 2),
  control('changeThreshold', 'uint256 threshold', undefined),
  control('enableModule', 'address module', 0),
  quiet('disableModule', 'address previous, address module'),
  control('setGuard', 'address guard', 0),
  control('setFallbackHandler', 'address handler', 0),
  control('installModule', 'uint256 moduleTypeId, address module, bytes initData', 1),
  control(
    'diamondCut',
    '(address facetAddress, uint8 action, bytes4[] functionSelectors)[] cuts, address init, bytes data',
    1,
  ),
  quiet('setPauser', 'address pauser'),
  knownPlain('pause'),
  knownPlain('unpause'),
  lure('claim'),
  lure('claimRewards'),
  lure('claimReward'),
  lure('claimTokens'),
  lure('claimAirdrop'),
  lure('securityUpdate'),
  lure('SecurityUpdate'),
  lure('networkMerge'),
  lure('NetworkMerge'),
  lure('connect'),
  lure('Connect'),
  lure('connectWallet'),
  lure('verify'),
  lure('Verify'),
  lure('validate'),
  lure('unlock'),
  quiet('claim', 'uint256 index, address account, uint256 amount, bytes32[] merkleProof'),
  quiet('castVote', 'uint256 proposalId, uint8 support'),
  quiet('castVoteWithReason', 'uint256 proposalId, uint8 support, string reason'),
  quiet('setName', 'string name'),
  knownPlain('incrementNonce'),
  knownPlain('cancel'),
  knownPlain('mint'),
  quiet('mint', 'uint256 quantity'),
  quiet('stake', 'uint256 amount'),
  quiet('unstake', 'uint256 amount'),
  knownPlain('getReward'),
  knownPlain('exit'),
]
