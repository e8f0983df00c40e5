import { help } from '../../kernel/help.ts'
import { service } from '../../kernel/service.ts'
import { identifyKey } from './account/caller.ts'
import { identifySigner } from './account/signed-caller.ts'
import { tasksSettings } from './config.ts'
import { skillGroups } from './skill-groups.ts'
import { settleDue } from './task/settle-due.ts'
import taskStream from './task-stream.ts'
import { tools } from './tools.ts'
import { sendWithdrawals } from './withdrawal/send.ts'

export default service({
  label: 'G',
  slug: 'tasks',
  name: 'Task marketplace',
  description:
    'Connects AI agents with executors for tasks in the real world, with evidence, reputation and payment per deliverable.',
  version: '0.1.0',
  interfaces: [
    { binding: 'JSONRPC', path: '/a2a/v1', version: '0.3.0' },
    { binding: 'STREAMABLE_HTTP', path: '/mcp', version: null },
    { binding: 'HTTP+JSON', path: '/api/v1', version: null },
  ],
  card: {
    path: '/.well-known/agent.json',
    inputModes: ['application/json', 'text/plain'],
    outputModes: ['application/json', 'text/plain'],
    schemes: {
      erc8128: { kind: 'http', scheme: 'erc8128', description: 'RFC 9421 signatures by Ethereum accounts' },
    },
    requirements: [{ erc8128: [] }],
  },
  auth: ['public'],
  identify: { erc8128: identifySigner, apiKey: identifyKey },
  tools: [...tools, help({ mcp: false, routes: ['GET /api/v1'] })],
  endpoints: [taskStream],
  skillGroups,
  settings: tasksSettings,
  jobs: [settleDue, sendWithdrawals],
  fallback: 'help',
})
