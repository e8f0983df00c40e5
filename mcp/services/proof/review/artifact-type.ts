export const artifactTypes = [
  'code_diff',
  'patch',
  'shell_command',
  'plan',
  'config_change',
  'analysis',
  'agent_output',
  'trade',
  'onchain_action',
  'sanctions_screening',
  'general',
] as const

export type ArtifactType = (typeof artifactTypes)[number]
