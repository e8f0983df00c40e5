import { z } from 'zod'
import { settings } from '../../kernel/setting.ts'
import { accountForm } from './account/account.ts'

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
  olderSignatures: {
    variable: 'TASKS_OLDER_SIGNATURES',
    schema: z.enum(['on', 'off']).transform(text => text === 'on'),
    description:
      'Whether signatures with the key id of ERC-8128 before August 2026 (erc8128:<chain>:<address>) are taken besides: on or off. They do not cover the scheme.',
    default: 'on',
  },
  arbiters: {
    variable: 'TASKS_ARBITERS',
    schema: accounts,
    description:
      'Accounts that may decide disputes, as eip155:<chain>:<address>, with commas between. Without any, a dispute is split evenly once its time is over.',
    default: '',
    example: 'eip155:8453:0x00000000000000000000000000000000000000a1',
  },
})
