import { getAddress } from 'viem'
import { encode, transaction, who } from '../examples.ts'
import { at, type OnchainRule } from '../rule.ts'
import { isSame, type Mention, type Scene } from '../scene.ts'

/** Hex digits that two different addresses share at both ends; 0 where they do not look alike. */
const countLookalike = (one: string, other: string): number => {
  const [first, second] = [one.toLowerCase().slice(2), other.toLowerCase().slice(2)]
  if (first === second) return 0
  let head = 0
  while (head < 40 && first[head] === second[head]) head++
  let tail = 0
  while (tail < 40 && first[39 - tail] === second[39 - tail]) tail++
  const isAlike =
    (head >= 4 && tail >= 4) ||
    (head >= 3 && tail >= 5) ||
    (head >= 2 && tail >= 2 && head + tail >= 9) ||
    head >= 8 ||
    tail >= 10
  return isAlike ? head + tail : 0
}

/** Addresses of people are imitated; those with many zeros at one end, as contracts have, look alike by nature. */
const isImitable = (address: string): boolean => !/^0x0{6}|0{6}$/.test(address)

const listContacts = ({ action: { intent }, signer }: Scene): string[] => [
  ...new Set(
    [
      ...intent.contacts,
      ...intent.trusted,
      ...(intent.recipient ? [intent.recipient] : []),
      ...(signer ? [signer] : []),
    ].map(address => address.toLowerCase()),
  ),
]

const each = (mentions: readonly Mention[]): Mention[] => [
  ...new Map(mentions.map(mention => [mention.address, mention])).values(),
]

const hasMixedCase = (text: string): boolean => /[a-f]/.test(text.slice(2)) && /[A-F]/.test(text.slice(2))

/** The addresses themselves, whatever is done with them. */
export const addressRules: readonly OnchainRule[] = [
  {
    id: 'address-poisoning',
    severity: 'blocker',
    fix: 'Copy the address from its owner, and compare all 40 digits.',
    hits: () => [
      transaction(who.token, encode('transfer(address,uint256)', [who.lookalike, 5n]), {
        intent: { contacts: [who.friend] },
      }),
      transaction(who.lookalike, '0x', { value: 5n, intent: { recipient: who.friend } }),
    ],
    misses: () => [
      transaction(who.token, encode('transfer(address,uint256)', [who.friend, 5n]), {
        intent: { contacts: [who.friend] },
      }),
      transaction(who.stranger, '0x', { value: 5n, intent: { contacts: [who.friend] } }),
    ],
    check: scene => {
      const contacts = listContacts(scene)
      return each(scene.mentions).flatMap(({ address, role, path }) => {
        const isContact = contacts.includes(address)
        const imitated = isContact
          ? undefined
          : contacts.find(contact => isImitable(contact) && countLookalike(address, contact) > 0)
        return imitated === undefined
          ? []
          : [
              {
                detail: `The ${role} ${address} imitates ${imitated}: ${countLookalike(address, imitated)} digits at the ends are the same, the rest is not.`,
                place: at(path),
              },
            ]
      })
    },
  },
  {
    id: 'bad-checksum',
    severity: 'high',
    fix: 'Copy the address anew: a letter was changed.',
    hits: () => [transaction('0x833589FCD6eDb6E08f4c7C32D4f71b54bdA02914', '0x', { value: 5n })],
    misses: () => [
      transaction('0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045', '0x', { value: 5n }),
      transaction('0xd8da6bf26964af9d7eed9e03e53415d37aa96045', '0x', { value: 5n }),
    ],
    check: scene => {
      const { recipient, contacts, trusted } = scene.action.intent
      const statedAddresses = [...(recipient ? [recipient] : []), ...contacts, ...trusted].map(text => ({
        text,
        role: 'address',
        path: 'intent',
      }))
      return [...scene.mentions, ...statedAddresses]
        .filter(({ text }) => hasMixedCase(text) && getAddress(text.toLowerCase()) !== text)
        .map(({ text, role, path }) => ({
          detail: `The capital letters of the ${role} ${text} are not its checksum (EIP-55).`,
          place: at(path),
        }))
    },
  },
  {
    id: 'signs-for-other',
    severity: 'high',
    fix: 'Sign with the account that it is for.',
    hits: () => [
      {
        action: {
          from: who.me,
          typed_data: {
            domain: { chainId: 1, verifyingContract: who.usdc },
            types: {},
            primaryType: 'Permit',
            message: { owner: who.friend, spender: who.router, value: '5', nonce: 0, deadline: 1 },
          },
        },
      },
    ],
    misses: () => [
      {
        action: {
          from: who.me,
          typed_data: {
            domain: { chainId: 1, verifyingContract: who.usdc },
            types: {},
            primaryType: 'Permit',
            message: { owner: who.me, spender: who.router, value: '5', nonce: 0, deadline: 1 },
          },
        },
      },
    ],
    check: ({ typedData, action, recovered }) => {
      const { from } = action
      if (from === undefined) return []
      if (recovered !== undefined && !isSame(recovered, from))
        return [{ detail: `It is signed by ${recovered}, not by ${from}.`, place: at('raw_transaction') }]
      const owner = typedData?.message.owner ?? typedData?.message.holder ?? typedData?.message.offerer
      return typeof owner === 'string' && !isSame(owner, from)
        ? [{ detail: `It speaks for ${owner}, and ${from} would sign it.`, place: at('typed_data.message') }]
        : []
    },
  },
]
