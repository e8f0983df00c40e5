import { asRecord } from '../../../../lib/json.ts'
import { nameOfContract, permit2 } from '../decode/known-addresses.ts'
import { permit2Domain, soon, transaction, typedData, who } from '../examples.ts'
import { at, type OnchainRule } from '../rule.ts'
import { isSame } from '../scene.ts'

const describePermitDomain = (domain: object) =>
  typedData(
    'PermitTransferFrom',
    { permitted: { token: who.usdc, amount: '5' }, spender: who.router, nonce: 0, deadline: soon },
    { domain: domain as Record<string, unknown> },
  )

const permitFields = [
  { name: 'owner', type: 'address' },
  { name: 'spender', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'nonce', type: 'uint256' },
  { name: 'deadline', type: 'uint256' },
]

const permit = (more = {}) =>
  typedData(
    'Permit',
    { owner: who.me, spender: who.router, value: '5', nonce: 0, deadline: soon, ...more },
    { fields: permitFields },
  )

const sale = (startAmount: string, recipient: string, more: readonly object[] = []) =>
  typedData(
    'OrderComponents',
    {
      offerer: who.me,
      offer: [{ itemType: 2, token: who.token, identifierOrCriteria: '7', startAmount: '1', endAmount: '1' }],
      consideration: [
        { itemType: 0, token: who.zero, startAmount, endAmount: startAmount, recipient },
        ...more,
      ],
    },
    {
      domain: {
        name: 'Seaport',
        version: '1.6',
        chainId: 1,
        verifyingContract: '0x0000000000000068F116a894984e2DB1123eB395',
      },
    },
  )

const fee = (amount: string) => ({
  itemType: 0,
  token: who.zero,
  startAmount: amount,
  endAmount: amount,
  recipient: who.stranger,
})

const login = (domain: string, uri: string) =>
  `${domain} wants you to sign in with your Ethereum account:\n0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045\n\nURI: ${uri}\nVersion: 1\nChain ID: 1\nNonce: abcdefgh\nIssued At: 2026-11-20T10:00:00Z`

/** Host of a login and of its URI; undefined for another text. */
const readLogin = (message: string): { domain: string; host: string | undefined } | undefined => {
  const domain = /^(?:https?:\/\/)?(\S+) wants you to sign in with your Ethereum account:/.exec(message)?.[1]
  const uri = /^URI: (\S+)$/m.exec(message)?.[1]
  if (domain === undefined) return undefined
  return { domain, host: uri !== undefined && URL.canParse(uri) ? new URL(uri).host : undefined }
}

/** Types of Permit2, which only its contract takes. */
const permit2Types = /^Permit(?:Single|Batch|(?:Batch)?(?:Witness)?TransferFrom)$/

const strong =
  /^(?:Delegation|MetaTransaction|Bid|Order|Permit|Approve|Transfer|Withdraw|SetApproval|Batch|Execute|UserOp|Session)/i

/** Signatures: what they are for, where they hold, and what cannot be seen in them. */
export const signatureRules: readonly OnchainRule[] = [
  {
    id: 'blind-hash',
    severity: 'blocker',
    fix: 'Ask for the message or the transaction itself.',
    hits: () => [
      { action: { hash: `0x${'ab'.repeat(32)}` } },
      { action: { message: `0x${'ab'.repeat(32)}` } },
    ],
    misses: () => [{ action: { message: 'I agree to the terms of example.org.' } }],
    check: ({ isBlindHash }) =>
      isBlindHash
        ? [{ detail: 'Nobody sees what the hash stands for: it may be any transaction.', place: at('hash') }]
        : [],
  },
  {
    id: 'wrong-chain',
    severity: 'blocker',
    fix: 'Sign for the chain that is meant.',
    hits: () => [
      transaction(who.friend, '0x', { value: 5n, intent: { chain_id: 1 } }),
      { action: { ...permit().action, chain_id: 1 } },
    ],
    misses: () => [
      transaction(who.friend, '0x', { value: 5n, intent: { chain_id: 8453 } }),
      { action: { ...permit().action, chain_id: 8453 } },
    ],
    check: ({ chainId, typedData, action }) => {
      const { intent } = action
      const domainChain = typedData?.domain.chainId
      const signed = domainChain === undefined ? undefined : Number(domainChain)
      const intendedChain = intent.chainId ?? action.chainId
      const signedChain = signed ?? chainId
      return intendedChain !== undefined && signedChain !== undefined && signedChain !== intendedChain
        ? [
            {
              detail: `It is for the chain ${signedChain}; ${intendedChain} is meant.`,
              place: at('chain_id'),
            },
          ]
        : []
    },
  },
  {
    id: 'weak-domain',
    severity: 'medium',
    fix: 'Have the domain name the chain and the contract.',
    hits: () => [
      typedData('Vote', { proposal: '1' }, { domain: { name: 'Votes' } }),
      describePermitDomain({ name: 'Permit2', verifyingContract: who.permit2 }),
    ],
    misses: () => [permit()],
    check: ({ typedData }) =>
      typedData &&
      (typedData.domain.chainId === undefined || typedData.domain.verifyingContract === undefined)
        ? [
            {
              detail: 'The domain names no chain or no contract: the signature holds elsewhere as well.',
              place: at('typed_data.domain'),
            },
          ]
        : [],
  },
  {
    id: 'false-contract',
    severity: 'blocker',
    fix: 'Sign it only for the contract that such messages are for.',
    hits: () => [describePermitDomain({ ...permit2Domain, verifyingContract: who.stranger })],
    misses: () => [describePermitDomain(permit2Domain)],
    check: ({ typedData }) => {
      if (!typedData) return []
      const { domain, primaryType } = typedData
      const contract = String(domain.verifyingContract)
      const isFalsePermit2 =
        (permit2Types.test(primaryType) || domain.name === 'Permit2') && !isSame(contract, permit2)
      if (isFalsePermit2) return [{ detail: `${contract} is not Permit2.`, place: at('typed_data.domain') }]
      if (primaryType === 'OrderComponents' && !nameOfContract(contract)?.startsWith('Seaport'))
        return [
          {
            detail: `${contract} is not a Seaport that is known here.`,
            severity: 'high',
            place: at('typed_data.domain'),
          },
        ]
      return []
    },
  },
  {
    id: 'order-without-payment',
    severity: 'blocker',
    fix: 'Have the price come to your own account.',
    hits: () => [
      sale('1000000000000000000', who.stranger),
      sale('1', who.me),
      sale('100000000000', who.me, [fee('900000000000')]),
    ],
    misses: () => [sale('1000000000000000000', who.me, [fee('25000000000000000')])],
    check: ({ orders }) =>
      orders.flatMap(({ offers, toSigner, toOthers, path }) => {
        if (offers === 0) return []
        if (toSigner <= 1000n) return [{ detail: 'You give and get nothing.', place: at(path) }]
        return toOthers > toSigner
          ? [{ detail: 'Most of the price goes to others.', severity: 'high' as const, place: at(path) }]
          : []
      }),
  },
  {
    id: 'unsigned-field',
    severity: 'high',
    fix: 'Trust only what the types name: anything else is shown and not signed.',
    hits: () => [permit({ note: 'harmless login' })],
    misses: () => [permit()],
    check: ({ typedData }) => {
      const fields = typedData?.types[typedData.primaryType]
      if (!typedData || !fields) return []
      const strange = Object.keys(typedData.message).filter(name => !fields.some(one => one.name === name))
      const missing = fields.filter(({ name }) => asRecord(typedData.message)[name] === undefined)
      return [
        ...strange.map(name => ({
          detail: `${name.slice(0, 60)} is in the message and not among what is signed.`,
          place: at(`typed_data.message.${name.slice(0, 60)}`),
        })),
        ...missing.map(({ name }) => ({
          detail: `${name.slice(0, 60)} is signed, and the message does not say it.`,
          place: at('typed_data.message'),
        })),
      ].slice(0, 5)
    },
  },
  {
    id: 'unknown-typed-data',
    severity: 'medium',
    fix: 'Find out what the contract does with it.',
    hits: () => [
      typedData('Frobnicate', { amount: '5' }),
      typedData('DelegationGrant', { delegate: who.stranger }),
    ],
    misses: () => [permit()],
    check: ({ unknowns, typedData }) =>
      unknowns
        .filter(({ isTop }) => isTop && typedData !== undefined)
        .map(({ selector, path }) => ({
          detail: `What a signed ${selector} does is not known here.`,
          ...(strong.test(selector) && { severity: 'high' as const }),
          place: at(path),
        })),
  },
  {
    id: 'false-login',
    severity: 'blocker',
    fix: 'Sign in only where the site is the one in the message.',
    hits: () => [{ action: { message: login('app.example.org', 'https://app-example.test/login') } }],
    misses: () => [{ action: { message: login('app.example.org', 'https://app.example.org/login') } }],
    check: ({ message }) => {
      const login = message === undefined ? undefined : readLogin(message)
      return login?.host !== undefined && login.host !== login.domain
        ? [
            {
              detail: `The login is for ${login.domain.slice(0, 80)}, its address for ${login.host.slice(0, 80)}.`,
              place: at('message'),
            },
          ]
        : []
    },
  },
  {
    id: 'replayable-transaction',
    severity: 'high',
    fix: 'Sign it with the id of the chain (EIP-155).',
    hits: () => [
      {
        action: {
          raw_transaction:
            '0xf86380843b9aca0082520894222222222222222222222222222222222222222201801ba0ee9fefa7f496aba6' +
            '02539da7782508572855d68f1ef645b1ef1524c2e07e958da024d17eb82e48c0c46309ce88996bca2048b012f6' +
            '5333c002fc8cc66152fa8df5',
        },
      },
    ],
    misses: () => [
      {
        action: {
          raw_transaction:
            '0x02f8688221058001843b9aca008252089422222222222222222222222222222222222222220180c001a05e45' +
            '309ae3bb98217bafa0365a2cefa0f57c77fc7316313263d81ae496d5cedfa052313ec98eefe7adb40e4dd62e95' +
            'c30e9837fd4098535572704e04dd67db66dd',
        },
      },
    ],
    check: ({ isReplayable }) =>
      isReplayable
        ? [
            {
              detail: 'It names no chain: anybody may send it on every other chain.',
              place: at('raw_transaction'),
            },
          ]
        : [],
  },
]
