import type { ServiceScenarios } from '../../contract/scenario.ts'

/** Predictions are made by paid calls, and read and resolved in the tests of the record. */
export const forecastScenarios: ServiceScenarios = {
  tools: {},
  isUnanswerable: tool => ['get_prediction', 'resolve_prediction'].includes(tool),
}
