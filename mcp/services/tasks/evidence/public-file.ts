import { z } from 'zod'
import type { EvidenceFile } from './file.ts'

export const fileId = z.string().max(64).describe('Id of the file')

export const EvidenceFileOut = z.object({
  file_id: z.string().describe('Id of the file'),
  task_id: z.string().describe('The task'),
  state: z.enum(['pending', 'stored', 'used']).describe('pending: not uploaded; used: a submission names it'),
  sha256: z.string().describe('SHA-256, hexadecimal'),
  bytes: z.number().int().describe('Size'),
  content_type: z.string().describe('Media type'),
  claims: z
    .object({
      taken_at: z.string().nullable().describe('When, by the clock of the camera'),
      lat: z.number().nullable().describe('Latitude'),
      lng: z.number().nullable().describe('Longitude'),
      camera: z.string().nullable().describe('Camera'),
    })
    .nullable()
    .describe('What the photo says of itself (EXIF): anybody can write that'),
})

export const toPublicFile = (file: EvidenceFile): z.output<typeof EvidenceFileOut> => ({
  file_id: file.id,
  task_id: file.task,
  state: file.state,
  sha256: file.sha256,
  bytes: file.bytes,
  content_type: file.content_type,
  claims: file.look?.exif ?? null,
})
