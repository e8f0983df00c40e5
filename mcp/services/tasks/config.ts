import { z } from 'zod'
import { settings } from '../../kernel/setting.ts'
import { jsonText, wholeNumber } from '../../lib/setting-texts.ts'
import { accountForm } from './account.ts'
import { sessionNetworks } from './session.ts'

const accounts = z
  .string()
  .transform(text =>
    text
      .split(',')
      .map(part => part.trim().toLowerCase())
      .filter(part => part !== ''),
  )
  .refine(list => list.every(account => accountForm.test(account)), 'accounts such as eip155:8453:0x…')

const networks = z
  .string()
  .transform(text =>
    text
      .split(',')
      .map(part => part.trim())
      .filter(part => part !== ''),
  )
  .pipe(z.array(z.enum(['base'])))

const escrows = z.partialRecord(
  z.enum(sessionNetworks),
  z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/, 'an EVM address')
    .transform(text => text as `0x${string}`),
)

const percent = z
  .string()
  .regex(/^(?:\d|[1-4]\d)(?:\.\d{1,2})?$/, 'a percentage from 0 to 49.99')
  .transform(text => Math.round(Number(text) * 100))

export const tasksSettings = settings({
  feeBps: {
    variable: 'TASKS_FEE_PERCENT',
    schema: percent,
    description: 'What the marketplace takes of a bounty when it is paid, on top of it, in per cent.',
    default: '5',
  },
  contractAccounts: {
    variable: 'TASKS_CONTRACT_ACCOUNTS',
    schema: networks,
    description:
      'base: smart accounts of Base may sign requests; each signature is checked on the chain then. Without it, only keys can sign. Other chains are no choice: money is paid out on Base, where their address may be somebody else.',
    default: '',
    example: 'base',
  },
  escrowContract: {
    variable: 'TASKS_ESCROW_CONTRACT',
    schema: z.string().regex(/^(?:0x[0-9a-fA-F]{40})?$/, 'an EVM address'),
    description:
      'Contract on Base (TaskEscrow) that holds the money of tasks published with escrow: onchain; OCTAGENT_RELAYER_KEY moves it. Without one there is none; local chains have their own.',
    default: '',
    example: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
  },
  identityRegistry: {
    variable: 'TASKS_IDENTITY_REGISTRY',
    schema: z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'an EVM address'),
    description: 'Identity registry of ERC-8004 on Base; local chains have their own.',
    default: '0x8004A169FB4a3325136EB29fA0ceB6D2e539a432',
  },
  reputationRegistry: {
    variable: 'TASKS_REPUTATION_REGISTRY',
    schema: z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'an EVM address'),
    description: 'Reputation registry of ERC-8004 on Base; local chains have their own.',
    default: '0x8004BAa17C55a88189AE136b182e5fdA19dE9b63',
  },
  olderSignatures: {
    variable: 'TASKS_OLDER_SIGNATURES',
    schema: z.enum(['on', 'off']).transform(text => text === 'on'),
    description:
      'Whether signatures with the key id of ERC-8128 before August 2026 (erc8128:<chain>:<address>) are taken besides: on or off. They do not cover the scheme.',
    default: 'on',
  },
  fileMaxMb: {
    variable: 'TASKS_FILE_MAX_MB',
    schema: wholeNumber(1, 1000),
    description: 'Megabytes that one uploaded file of evidence may have.',
    default: '100',
  },
  taskFilesMb: {
    variable: 'TASKS_TASK_FILES_MAX_MB',
    schema: wholeNumber(1),
    description: 'Megabytes that all uploaded files of one task may have.',
    default: '500',
  },
  arbiters: {
    variable: 'TASKS_ARBITERS',
    schema: accounts,
    description:
      'Accounts that may decide disputes, as eip155:<chain>:<address>, with commas between. Without any, a dispute is split evenly once its time is over.',
    default: '',
    example: 'eip155:8453:0x00000000000000000000000000000000000000a1',
  },
  sessionEscrows: {
    variable: 'TASKS_SESSION_ESCROWS',
    schema: jsonText(escrows),
    description:
      'Contracts that hold the money of metered sessions (ChannelEscrow), JSON by network: {"base":"0x…","arbitrum":"0x…"}. A network without one has no sessions. Local chains have their own.',
    default: '{}',
    example: '{"base":"0x5FbDB2315678afecb367f032d93F642f64180aa3"}',
  },
  sessionIdle: {
    variable: 'TASKS_SESSION_IDLE',
    schema: wholeNumber(30, 86_400),
    description: 'Seconds after which a session whose clock stands is settled and closed.',
    default: '900',
  },
})
