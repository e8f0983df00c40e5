import { help } from '../../kernel/help.ts'
import { service } from '../../kernel/service.ts'
import agentProtocol from './agent-protocol.ts'
import { backtests } from './backtest.ts'
import calibrationCurve from './calibration-curve.ts'
import calibration from './calibration-extension.ts'
import calibrationPage from './calibration-page.ts'
import { forecastSettings } from './config.ts'
import consult from './consult.ts'
import epistemicAudit from './epistemic-audit.ts'
import { filings } from './filings/port.ts'
import filingsTool from './filings.ts'
import filingsPage from './filings-page.ts'
import getCalibration from './get-calibration.ts'
import getCalibrationHistory from './get-calibration-history.ts'
import getPrediction from './get-prediction.ts'
import getSignedCalibration from './get-signed-calibration.ts'
import getSignedHistory from './get-signed-history.ts'
import listBacktests from './list-backtests.ts'
import listPredictions from './list-predictions.ts'
import predictionPage from './prediction-page.ts'
import priceEstimate from './price-estimate.ts'
import proveConsistency from './prove-consistency.ts'
import readRecord from './read-record.ts'
import { resolveDue, snapshotDaily } from './record/jobs.ts'
import { record } from './record/log.ts'
import reputation from './reputation.ts'
import resolvePrediction from './resolve-prediction.ts'
import strategyRecommendation from './strategy-recommendation.ts'
import verifySignature from './verify-signature.ts'

export default service({
  label: 'H',
  slug: 'forecast',
  icon: 'M1 13l5-7 3 3 3-4-2-2h5v5l-1-1-5 6-3-3-3 4z',
  name: 'Forecasting',
  description:
    'Calibrated probability estimates and analyses for hard questions, signed, with the track record of its own predictions.',
  version: '2.0.0',
  license: 'MIT',
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
      {
        uri: '/extensions/calibration/v1',
        description: 'Signed calibration: Ed25519 over canonical JSON.',
        params: {
          verificationMethod:
            'Ed25519 (RFC 8032) over the text in "canonical": JSON with sorted keys, no white space, ASCII.',
        },
        namesKey: true,
      },
    ],
    schemes: {
      x402Payment: { kind: 'http', scheme: 'x402', description: 'x402 version 2 payment' },
      public: { kind: 'http', scheme: 'none', description: 'No credential; the calibration skills' },
    },
    requirements: [{ x402Payment: [] }, { public: [] }],
  },
  auth: ['public'],
  tools: [
    getCalibration,
    getCalibrationHistory,
    getSignedCalibration,
    verifySignature,
    listPredictions,
    priceEstimate,
    consult,
    strategyRecommendation,
    epistemicAudit,
    filingsTool,
    getPrediction,
    resolvePrediction,
    readRecord,
    proveConsistency,
    getSignedHistory,
    listBacktests,
    reputation,
    help({ mcp: false }),
  ],
  settings: forecastSettings,
  ports: [record, filings, backtests],
  jobs: [resolveDue, snapshotDaily],
  endpoints: [calibrationCurve],
  documents: [calibrationPage, predictionPage, filingsPage, agentProtocol, calibration],
  documentation: '/calibration',
  fallback: 'help',
})
