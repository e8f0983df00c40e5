import { z } from 'zod'

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

const sha256 = z
  .string()
  .regex(/^(?:sha256:)?[0-9a-fA-F]{64}$/, 'a SHA-256 in 64 hexadecimal digits')
  .transform(text => text.slice(-64).toLowerCase())

const Geo = z.strictObject({
  lat: z.number().min(-90).max(90).describe('Latitude in degrees'),
  lng: z.number().min(-180).max(180).describe('Longitude in degrees'),
  accuracy_m: z.number().min(0).max(100_000).optional().describe('Within so many metres'),
})

/** One piece of evidence as it is handed in. What a type needs beyond its name is checked by `findEvidenceIssues`. */
export const EvidenceInput = z.strictObject({
  type: z.enum(evidenceTypes).describe('Kind of evidence'),
  value: z.unknown().optional().describe('The evidence itself: text, or JSON for types that hold data'),
  file_id: z
    .string()
    .max(64)
    .optional()
    .describe('A file that presign_upload named, instead of url and sha256'),
  url: z.url().max(2000).optional().describe('Where the file is, https'),
  sha256: sha256.optional().describe('SHA-256 of the file, hexadecimal'),
  content_type: z.string().max(100).optional().describe('Media type of the file'),
  bytes: z.number().int().min(1).max(2_000_000_000).optional().describe('Size of the file'),
  captured_at: z.iso.datetime({ offset: true }).optional().describe('When it was made'),
  geo: Geo.optional().describe('Where it was made'),
  note: z.string().max(500).optional().describe('What it shows'),
})

export type EvidenceItem = z.output<typeof EvidenceInput>

/** A piece of evidence as it is stored: `value` as JSON text, since it may be anything. */
export type TaskEvidence = {
  type: EvidenceType
  value: string | null
  file: string | null
  url: string | null
  sha256: string | null
  content_type: string | null
  bytes: number | null
  captured_at: string | null
  geo: { lat: number; lng: number; accuracy_m: number | null } | null
  note: string | null
}

export const toTaskEvidence = (item: EvidenceItem): TaskEvidence => ({
  type: item.type,
  value: item.value === undefined || item.value === null ? null : JSON.stringify(item.value),
  file: item.file_id ?? null,
  url: item.url ?? null,
  sha256: item.sha256 ?? null,
  content_type: item.content_type ?? null,
  bytes: item.bytes ?? null,
  captured_at: item.captured_at ? new Date(item.captured_at).toISOString() : null,
  geo: item.geo ? { lat: item.geo.lat, lng: item.geo.lng, accuracy_m: item.geo.accuracy_m ?? null } : null,
  note: item.note ?? null,
})

const maxValueBytes = 100_000

const file = z
  .object({
    file_id: z.string().optional(),
    url: z
      .string()
      .regex(/^https:\/\//, 'an https address of the file')
      .optional(),
    sha256: sha256.optional(),
  })
  .refine(
    ({ file_id, url, sha256: hash }) => file_id !== undefined || (url !== undefined && hash !== undefined),
    'the file_id of an upload, or url and sha256, are needed',
  )
const text = (min: number, max: number) => z.object({ value: z.string().trim().min(min).max(max) })
const data = z.object({
  value: z.union([z.record(z.string(), z.unknown()), z.array(z.unknown())], 'a JSON object or list'),
})
const patternCheck = (pattern: RegExp, what: string) =>
  file.safeExtend({
    content_type: z.string(`a media type such as ${what}`).regex(pattern, `a media type such as ${what}`),
  })
const photo = patternCheck(/^image\/[\w.+-]+$/, 'image/jpeg')

/** Schema of each type. */
export const evidenceSchemas: Readonly<Record<EvidenceType, z.ZodType>> = {
  photo,
  photo_geo: photo.safeExtend({ geo: Geo }),
  video: patternCheck(/^video\/[\w.+-]+$/, 'video/mp4'),
  document: file,
  receipt: file,
  signature: file,
  notarized: file,
  timestamp_proof: z.object({
    value: z.object({
      hash: sha256.describe('What was stamped'),
      proof: z.string().min(20).max(50_000).describe('The stamp: a compact JWS, or a token in base64'),
    }),
  }),
  text_response: text(1, 10_000),
  measurement: z.object({
    value: z.object({
      value: z.number('a number'),
      unit: z.string().trim().min(1).max(30),
    }),
  }),
  screenshot: photo,
  json_response: z.object({ value: z.json() }),
  api_response: z.object({
    value: z.object({
      status: z.number().int().min(100).max(599),
      body: z.json(),
    }),
    url: z.string().regex(/^https:\/\//, 'the https address that was called'),
  }),
  code_output: text(1, 50_000),
  file_artifact: file,
  url_reference: z.object({ url: z.string().regex(/^https:\/\//, 'an https address') }),
  structured_data: data,
  text_report: text(50, 50_000),
}

/** Lists faults of each piece, by its place, and required types that are missing. */
export const findEvidenceIssues = (
  items: readonly EvidenceItem[],
  required: readonly EvidenceType[],
): { path: string; message: string }[] => {
  const issues = items.flatMap((item, at) => {
    if (item.value !== undefined && JSON.stringify(item.value).length > maxValueBytes)
      return [{ path: `evidence.${at}.value`, message: `${item.type}: over ${maxValueBytes} bytes` }]
    const parsed = evidenceSchemas[item.type].safeParse(item)
    return (parsed.error?.issues ?? []).map(({ path, message }) => ({
      path: ['evidence', at, ...path].join('.'),
      message: `${item.type}: ${message}`,
    }))
  })
  const missing = required
    .filter(type => !items.some(item => item.type === type))
    .map(type => ({ path: 'evidence', message: `${type} is required and missing` }))
  return [...missing, ...issues]
}
