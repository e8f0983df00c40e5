import { nameOfContract } from '../decode/known-addresses.ts'
import { encode, inYears, maxUint256, permit2Domain, soon, transaction, typedData, who } from '../examples.ts'
import { at, days, isTrusted, type OnchainRule } from '../rule.ts'
import { type Grant, isSame, type Scene } from '../scene.ts'

const approve = (spender: string, amount: bigint, intent = {}) =>
  transaction(who.usdc, encode('approve(address,uint256)', [spender, amount]), { intent })

const permit = (message: object, intent = {}) =>
  typedData(
    'Permit',
    { owner: who.me, spender: who.stranger, nonce: 0, deadline: soon, ...message },
    { intent },
  )

const permitSingle = (amount: bigint, expiration: number, intent = {}) =>
  typedData(
    'PermitSingle',
    {
      details: { token: who.usdc, amount: String(amount), expiration, nonce: 0 },
      spender: who.stranger,
      sigDeadline: soon,
    },
    { domain: permit2Domain, intent },
  )

const permitTransfer = (intent = {}) =>
  typedData(
    'PermitTransferFrom',
    { permitted: { token: who.usdc, amount: '500' }, spender: who.stranger, nonce: 0, deadline: soon },
    { domain: permit2Domain, intent },
  )

const isKnownSpender = (scene: Scene, spender: string): boolean =>
  isTrusted(scene, spender) || nameOfContract(spender) !== undefined

const isUnlimited = ({ amount, unlimitedFrom }: Grant): boolean => amount >= unlimitedFrom

const openGrants = ({ grants }: Scene): Grant[] => grants.filter(({ amount }) => amount > 0n)

/** Leave to move tokens: how much, to whom, for how long. */
export const allowanceRules: readonly OnchainRule[] = [
  {
    id: 'unlimited-allowance',
    severity: 'blocker',
    fix: 'Allow the amount that is needed, and no more.',
    hits: () => [
      approve(who.stranger, maxUint256),
      approve(who.router, maxUint256),
      permit({ value: String(maxUint256) }),
      permitSingle(2n ** 160n - 1n, soon),
    ],
    misses: () => [approve(who.stranger, 100n), approve(who.stranger, 0n), permit({ value: '100' })],
    check: scene =>
      openGrants(scene)
        .filter(grant => grant.kind === 'token' && isUnlimited(grant))
        .map(({ via, spender, path }) => ({
          detail: `${via} lets ${nameOfContract(spender) ?? spender} move every token there is, for as long as it stands.`,
          ...(isKnownSpender(scene, spender) && { severity: 'medium' as const }),
          place: at(path),
        })),
  },
  {
    id: 'excess-allowance',
    severity: 'high',
    fix: 'Allow the amount that is needed, and no more.',
    hits: () => [approve(who.stranger, 1000n, { amount: '100' })],
    misses: () => [approve(who.stranger, 100n, { amount: '100' }), approve(who.stranger, 1000n)],
    check: scene => {
      const { amount: need } = scene.action.intent
      if (need === undefined) return []
      return openGrants(scene)
        .filter(grant => grant.kind === 'token' && !isUnlimited(grant) && grant.amount > need * 2n)
        .map(({ via, amount, path }) => ({
          detail: `${via} allows ${amount}, more than twice the ${need} that are needed.`,
          place: at(path),
        }))
    },
  },
  {
    id: 'collection-operator',
    severity: 'blocker',
    fix: 'Approve the one token that is to be moved, or list it where the operator is known.',
    hits: () => [
      transaction(who.token, encode('setApprovalForAll(address,bool)', [who.stranger, true])),
      transaction(
        who.token,
        encode('setApprovalForAll(address,bool)', ['0x1E0049783F008A0085193E00003D00cd54003c71', true]),
      ),
    ],
    misses: () => [transaction(who.token, encode('setApprovalForAll(address,bool)', [who.stranger, false]))],
    check: scene =>
      openGrants(scene)
        .filter(({ kind }) => kind === 'collection')
        .map(({ spender, path }) => ({
          detail: `${nameOfContract(spender) ?? spender} may move every token of the collection, those of later as well.`,
          ...(isKnownSpender(scene, spender) && { severity: 'medium' as const }),
          place: at(path),
        })),
  },
  {
    id: 'signed-allowance',
    severity: 'medium',
    fix: 'Sign it for a spender that you know, and name that among the trusted.',
    hits: () => [permit({ value: '100' }), permitSingle(100n, soon)],
    misses: () => [permit({ value: '100' }, { trusted: [who.stranger] }), permit({ value: '0' })],
    check: scene =>
      openGrants(scene)
        .filter(
          ({ by, via, spender }) =>
            by === 'signature' && via !== 'Permit2 transfer' && !isKnownSpender(scene, spender),
        )
        .map(({ via, spender, amount, path }) => ({
          detail: `The signature alone (${via}) lets ${spender}, who is not known here, move ${amount}; it needs no transaction of yours.`,
          place: at(path),
        })),
  },
  {
    id: 'signature-transfer',
    severity: 'high',
    fix: 'Sign it only for a spender that you know, and name that among the trusted.',
    hits: () => [permitTransfer()],
    misses: () => [permitTransfer({ trusted: [who.stranger], amount: '500' })],
    check: scene =>
      openGrants(scene)
        .filter(({ via, spender }) => via === 'Permit2 transfer' && !isKnownSpender(scene, spender))
        .map(({ spender, amount, token, path }) => ({
          detail: `Whoever has the signature as ${spender} takes ${amount} of ${token ?? 'a token'} at once, to wherever it likes.`,
          place: at(path),
        })),
  },
  {
    id: 'long-allowance',
    severity: 'medium',
    fix: 'Let it end within a month.',
    hits: () => [permitSingle(100n, inYears), permit({ value: '100', deadline: inYears })],
    misses: () => [permitSingle(100n, soon), permit({ value: '0', deadline: inYears })],
    check: scene =>
      openGrants(scene)
        .filter(({ expires }) => expires !== undefined && expires > scene.now + days(30))
        .map(({ via, path }) => ({ detail: `${via} holds for more than 30 days.`, place: at(path) })),
  },
  {
    id: 'odd-spender',
    severity: 'high',
    fix: 'Name the contract that is to spend.',
    hits: () => [approve(who.usdc, 5n), approve(who.zero, 5n)],
    misses: () => [approve(who.stranger, 5n)],
    check: scene =>
      openGrants(scene)
        .filter(({ spender, token }) => isSame(spender, token) || /^0x0{40}$/.test(spender))
        .map(({ spender, path }) => ({
          detail: `${spender} is the token itself or nobody: nothing of it can be spent as it is meant.`,
          place: at(path),
        })),
  },
  {
    id: 'allowance-revoked',
    severity: 'info',
    fix: 'Nothing.',
    hits: () => [approve(who.stranger, 0n)],
    misses: () => [approve(who.stranger, 1n)],
    check: ({ grants }) =>
      grants
        .filter(({ amount }) => amount === 0n)
        .map(({ spender, path }) => ({ detail: `${spender} may move nothing any more.`, place: at(path) })),
  },
]
