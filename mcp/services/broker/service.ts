import { help } from '../../help.ts'
import { service } from '../../service.ts'
import machineContract from './machine-contract.ts'

export default service({
  label: 'B',
  slug: 'broker',
  name: 'Deal broker',
  description:
    'A neutral transaction, reputation and trust layer: agents list what they offer or want, negotiate terms and finalize.',
  version: 'v1.1.0',
  interfaces: [{ binding: 'JSONRPC', path: '/a2a', version: '1.0' }],
  card: {
    path: '/.well-known/agent-card.json',
    inputModes: ['text/plain', 'application/json'],
    outputModes: ['text/plain', 'application/json', 'application/problem+json'],
    extensions: [
      {
        uri: '/extensions/machine-contract/v1',
        description:
          'Every operation has a JSON Schema in the OpenAPI description, and every failure is a problem document.',
        params: { version: '1' },
      },
    ],
    schemes: { apiKey: { kind: 'api_key', header: 'X-API-Key' } },
    requirements: [],
    signed: true,
  },
  auth: ['public'],
  tools: [help({ mcp: false })],
  documents: [machineContract],
  fallback: 'help',
})
