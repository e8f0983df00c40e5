import { help } from '../../kernel/help.ts'
import { service } from '../../kernel/service.ts'
import agentProtocol from './agent-protocol.ts'
import calibration from './calibration-extension.ts'

export default service({
  label: 'H',
  slug: 'forecast',
  name: 'Forecasting',
  description:
    'Calibrated probability estimates and analyses for hard questions, signed, with the track record of its own predictions.',
  version: '2.0.0',
  interfaces: [{ binding: 'JSONRPC', path: '/', version: '1.0' }],
  card: {
    path: '/.well-known/agent.json',
    inputModes: ['application/json'],
    outputModes: ['application/json'],
    extensions: [
      {
        uri: '/extensions/agent-protocol/v1',
        description: 'How this agent is asked: message/send with one data part.',
      },
      {
        uri: 'urn:erc8004:agent-registry:v1',
        description: 'This agent can be entered in an ERC-8004 identity registry.',
      },
      { uri: '/extensions/calibration/v1', description: 'Signed calibration: Ed25519 over canonical JSON.' },
    ],
    schemes: {
      x402Payment: { kind: 'http', scheme: 'x402', description: 'x402 version 2 payment' },
      public: { kind: 'http', scheme: 'none', description: 'No credential; the calibration skills' },
    },
    requirements: [{ x402Payment: [] }, { public: [] }],
  },
  auth: ['public'],
  tools: [help({ mcp: false })],
  documents: [agentProtocol, calibration],
  fallback: 'help',
})
