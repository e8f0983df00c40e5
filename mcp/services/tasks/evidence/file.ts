import { collection } from '../../../kernel/collection.ts'
import type { ImageLook } from '../../../lib/image/look.ts'
import { dayMs } from '../../../lib/time.ts'

/**
 * A file that a worker uploads for a task. `pending` until its bytes were seen and fit, `stored` until a submission names it, `used`
 * from then on; the first two are dropped at `expires_at`.
 */
export type EvidenceFile = {
  /** `file_…` */
  id: string
  task: string
  worker: string
  sha256: string
  bytes: number
  content_type: string
  state: 'pending' | 'stored' | 'used'
  /** True when the task had its money when the file was announced; absent in older rows. */
  is_funded?: boolean
  /** Result of a look at an image; null for other files, and where it could not be looked at. */
  look: ImageLook | null
  created_at: string
  expires_at: string
}

export const filesIn = collection<EvidenceFile>({
  name: 'tasks.files',
  indexes: [
    { name: 'task', fields: ['task', 'created_at'] },
    { name: 'state', fields: ['state', 'expires_at'] },
  ],
  budget: {
    what: 'evidence files',
    owner: ({ worker }) => worker,
    counts: ({ state, is_funded }) => !(is_funded && state === 'used'),
    fileBytes: ({ bytes }) => bytes,
    each: { rows: 200, bytes: 512 << 20 },
    network: { rows: 800, bytes: 1024 << 20 },
    allBytes: 8192 * (1 << 20),
    ends: 'A file that no submission names is dropped after 30 days; those of funded tasks do not count once they are handed in.',
  },
})

/** The owner of its bytes in the store of files. */
export const toOwner = (id: string): string => `tasks.files/${id}`

/** How many files one task may have. */
export const maxFiles = 40

export const uploadSeconds = 900
export const downloadSeconds = 300

/** How long a file that no submission names is kept. */
export const unusedMs = 30 * dayMs

/** Uploadable types. What a browser would run, such as HTML and SVG, may not. */
export const fileTypes = [
  'image/jpeg',
  'image/png',
  'image/gif',
  'image/webp',
  'image/heic',
  'image/avif',
  'video/mp4',
  'video/quicktime',
  'video/webm',
  'application/pdf',
  'application/zip',
  'application/json',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  'text/plain',
  'text/csv',
] as const

const extensions: Readonly<Record<string, string>> = {
  'image/jpeg': 'jpg',
  'video/quicktime': 'mov',
  'application/vnd.openxmlformats-officedocument.wordprocessingml.document': 'docx',
  'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': 'xlsx',
  'text/plain': 'txt',
}

/** The name under which a file is downloaded: nothing of it is a stranger's. */
export const toFileName = ({ id, content_type }: Pick<EvidenceFile, 'id' | 'content_type'>): string =>
  `${id}.${extensions[content_type] ?? content_type.split('/')[1] ?? 'bin'}`
