/** Kinds of work for tasks. */
export const categories = [
  'physical_presence',
  'knowledge_access',
  'human_authority',
  'simple_action',
  'digital_physical',
  'location_based',
  'verification',
  'social_proof',
  'data_collection',
  'sensory',
  'social',
  'proxy',
  'bureaucratic',
  'emergency',
  'creative',
  'data_processing',
  'api_integration',
  'content_generation',
  'code_execution',
  'research',
  'multi_step_workflow',
] as const

export type Category = (typeof categories)[number]
