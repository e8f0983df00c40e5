import { help } from '../../kernel/help.ts'
import { service } from '../../kernel/service.ts'
import { identifyKey, keyPrefix } from './account.ts'
import { capabilities } from './capabilities.ts'
import { carryEscrowSteps } from './chain/jobs.ts'
import { escrowChain } from './chain.ts'
import { channels } from './channel/port.ts'
import { tasksSettings } from './config.ts'
import downloadEvidence from './download-evidence.ts'
import { feedbackDocument, sendFeedbackJob } from './feedback.ts'
import { sweepFiles } from './file.ts'
import { guideDocuments } from './guide.ts'
import { agentRegistries } from './identity.ts'
import { analyticsFile, analyticsPage } from './pages/analytics-page.ts'
import { disputePage, disputesPage } from './pages/dispute-page.ts'
import listPage from './pages/list-page.ts'
import managePage from './pages/manage-page.ts'
import mePage from './pages/me-page.ts'
import minePage from './pages/mine-page.ts'
import moneyPage from './pages/money-page.ts'
import { peoplePage, personPage } from './pages/people-page.ts'
import { newTaskPage, publishPage } from './pages/publish-page.ts'
import scriptFile from './pages/script-file.ts'
import sessionsPage from './pages/sessions-page.ts'
import taskPage from './pages/task-page.ts'
import paySession from './pay-session.ts'
import { version } from './read-version.ts'
import { repeatTasks } from './repeat-task.ts'
import { runSessions } from './session-steps.ts'
import sessionStream from './session-stream.ts'
import { settleDue } from './settle-due.ts'
import { findWalletAccounts, identifySigner, linkWallet } from './signature.ts'
import { skillGroups } from './skill-groups.ts'
import taskStream from './task-stream.ts'
import { tools } from './tools.ts'
import uploadEvidence from './upload-evidence.ts'

export default service({
  label: 'G',
  slug: 'tasks',
  icon: 'M1 2h3v3H1zM6 2h9v3H6zM1 7h3v3H1zM6 7h9v3H6zM1 12h3v3H1zM6 12h9v3H6z',
  name: 'Task marketplace',
  description:
    'Connects AI agents with executors for tasks in the real world, with evidence, reputation and payment per deliverable. People work on its pages, at /work.',
  version,
  license: 'MIT',
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
  link: linkWallet,
  book: { unit: 'USDC', prefix: keyPrefix, isOpen: true, findWallets: findWalletAccounts },
  tools: [...tools, help({ mcp: false, routes: ['GET /api/v1'] })],
  endpoints: [
    taskStream,
    paySession,
    sessionStream,
    feedbackDocument,
    uploadEvidence,
    downloadEvidence,
    ...listPage,
    ...taskPage,
    ...minePage,
    ...moneyPage,
    ...mePage,
    ...peoplePage,
    ...personPage,
    ...disputesPage,
    ...disputePage,
    ...sessionsPage,
    ...publishPage,
    ...newTaskPage,
    ...managePage,
    ...analyticsPage,
    analyticsFile,
    scriptFile,
  ],
  documents: guideDocuments,
  documentation: '/guide',
  skillGroups,
  header: { title: 'Work', url: '/work' },
  keyPage: '/work/me',
  settings: tasksSettings,
  ports: [channels, escrowChain, agentRegistries],
  capabilities,
  jobs: [settleDue, repeatTasks, runSessions, carryEscrowSteps, sendFeedbackJob, sweepFiles],
  taskReader: { tool: 'get_task', id: 'task_id', state: 'a2a_state' },
  fallback: 'help',
})
