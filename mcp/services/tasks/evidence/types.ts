/** Evidence that work was done. */
export const evidenceTypes = [
  'photo',
  'photo_geo',
  'video',
  'document',
  'receipt',
  'signature',
  'notarized',
  'timestamp_proof',
  'text_response',
  'measurement',
  'screenshot',
  'json_response',
  'api_response',
  'code_output',
  'file_artifact',
  'url_reference',
  'structured_data',
  'text_report',
] as const

export type EvidenceType = (typeof evidenceTypes)[number]
