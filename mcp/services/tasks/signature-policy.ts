import { z } from 'zod'
import { free, tool } from '../../kernel/tool.ts'
import { signatureChains } from './account/signature.ts'
import { acceptSignature } from './account/signed-caller.ts'
import { tasksSettings } from './config.ts'

export default tool({
  name: 'signature_policy',
  keywords: ['authentication', 'rules'],
  title: 'How to sign requests',
  description:
    'What a signature of a request must cover and hold here (ERC-8128): components, parameters, chains, times. Use it to configure a client. Free.',
  input: z.object({}),
  output: z.object({
    scheme: z.literal('erc8128').describe('Name of the scheme'),
    draft: z.string().describe('Version of the draft'),
    accept_signature: z.string().describe('The field Accept-Signature of a refusal'),
    components: z.array(z.string()).describe('What a signature covers, where the request has it'),
    keyid: z.string().describe('Form of the key id'),
    tag: z.literal('erc8128').describe('Tag of the signature'),
    chains: z.array(z.string()).describe('Chains whose accounts may sign, CAIP-2'),
    contract_accounts: z.array(z.string()).describe('Networks whose smart accounts may sign'),
    older_keyid: z.boolean().describe('Whether erc8128:<chain>:<address> is taken besides'),
    max_validity_seconds: z.int().describe('How long a signature may be good'),
    clock_skew_seconds: z.int().describe('How far clocks may differ'),
    nonce: z.string().describe('What a nonce is'),
    nonce_url: z.string().describe('Where to get a nonce, for who cannot make one'),
    public_reads: z.array(z.string()).describe('What may be asked without a signature'),
  }),
  needs: [tasksSettings.contractAccounts, tasksSettings.olderSignatures],
  price: free,
  auth: ['public'],
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  a2a: { group: 'manage-tasks' },
  rest: { routes: ['GET /.well-known/erc8128', 'GET /api/v1/auth/erc8128/info'] },
  examples: [{}],
  summary: ({ accept_signature }) => accept_signature,
}).run(async ({ base, contractAccounts, olderSignatures }) => ({
  scheme: 'erc8128' as const,
  draft: '2026-08',
  accept_signature: acceptSignature,
  components: [...acceptSignature.matchAll(/"([@\w-]+)"/g)].map(([, name = '']) => name).slice(0, -1),
  keyid: 'eip155:<chain>:<address in lower case>',
  tag: 'erc8128' as const,
  chains: Object.keys(signatureChains).map(id => `eip155:${id}`),
  contract_accounts: [...contractAccounts],
  older_keyid: olderSignatures,
  max_validity_seconds: 300,
  clock_skew_seconds: 30,
  nonce: 'Any text of 1 to 128 characters that this account has not used before.',
  nonce_url: `${base}/api/v1/auth/erc8128/nonce`,
  public_reads: [
    'GET /api/v1/tasks/available',
    'GET /api/v1/tasks/{task_id}, while it is open',
    'GET /api/v1/reputation/leaderboard',
    'GET /api/v1/executors/{executor_id}/stats',
    'GET /api/v1/evidence/types',
    'GET /api/v1/escrow/config',
    'GET /api/v1/payments/fee',
    'GET /api/v1/config',
    'GET /api/v1/version',
  ],
}))
