import type { AnyTool } from '../../kernel/tool.ts'
import consult from './consult.ts'
import epistemicAudit from './epistemic-audit.ts'
import getCalibration from './get-calibration.ts'
import getCalibrationHistory from './get-calibration-history.ts'
import getPrediction from './get-prediction.ts'
import getSignedCalibration from './get-signed-calibration.ts'
import listPredictions from './list-predictions.ts'
import priceEstimate from './price-estimate.ts'
import proveConsistency from './prove-consistency.ts'
import readRecord from './read-record.ts'
import reputation from './reputation.ts'
import resolvePrediction from './resolve-prediction.ts'
import strategyRecommendation from './strategy-recommendation.ts'
import verifySignature from './verify-signature.ts'

/** The tools that are finished. The service lists them once the seven skills of the specification are here. */
export const tools: readonly AnyTool[] = [
  getCalibration,
  getCalibrationHistory,
  getSignedCalibration,
  verifySignature,
  listPredictions,
  priceEstimate,
  consult,
  strategyRecommendation,
  epistemicAudit,
  getPrediction,
  resolvePrediction,
  readRecord,
  proveConsistency,
  reputation,
]
