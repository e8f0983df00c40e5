import { ToolError } from '../../../kernel/error.ts'
import type { Tx } from '../../../ports/store/port.ts'
import type { Task } from '../task/task.ts'
import type { EvidenceItem } from './evidence.ts'
import { type EvidenceFile, filesIn } from './file.ts'

type Issue = { path: string; message: string }

const findFileIssue = (
  item: EvidenceItem,
  file: EvidenceFile | undefined,
  task: Task,
): string | undefined => {
  if (!file || file.task !== task.id || file.worker !== task.worker) return 'no file of yours for this task'
  if (file.state === 'pending') return 'its bytes have not come yet'
  if (item.sha256 !== undefined && item.sha256 !== file.sha256) return 'the file has another sha256'
  return undefined
}

/** The evidence with what is known of the files that it names, those files, and what is wrong with the naming. */
export const attachFiles = async (
  tx: Tx,
  items: readonly EvidenceItem[],
  task: Task,
): Promise<{ items: EvidenceItem[]; files: Map<string, EvidenceFile>; issues: Issue[] }> => {
  const files = new Map<string, EvidenceFile>()
  const issues: Issue[] = []
  const attached: EvidenceItem[] = []
  for (const [at, item] of items.entries()) {
    if (item.file_id === undefined) {
      attached.push(item)
      continue
    }
    const file = await filesIn(tx).get(item.file_id)
    const issue = findFileIssue(item, file, task)
    if (issue !== undefined || !file) {
      issues.push({ path: `evidence.${at}.file_id`, message: `${item.type}: ${issue}` })
      continue
    }
    files.set(file.id, file)
    const { sha256, content_type, bytes } = file
    attached.push({ ...item, url: undefined, sha256, content_type, bytes })
  }
  return { items: attached, files, issues }
}

/** Notes that a submission names these files, so that they are kept. */
export const markUsed = async (tx: Tx, files: ReadonlyMap<string, EvidenceFile>): Promise<void> => {
  for (const file of files.values()) await filesIn(tx).put({ ...file, state: 'used' })
}

/** Files of a worker for a task, by id. Throws `invalid_input` that names the first one that is none, or whose bytes have not come. */
export const loadOwnFiles = async (
  tx: Tx,
  ids: readonly string[],
  owner: { task: string; worker: string },
): Promise<Map<string, EvidenceFile>> => {
  const files = new Map<string, EvidenceFile>()
  for (const [at, id] of ids.entries()) {
    const file = await filesIn(tx).get(id)
    const isOwn = file?.task === owner.task && file.worker === owner.worker
    const message = isOwn ? 'its bytes have not come yet' : 'no file of yours for this task'
    if (!file || !isOwn || file.state === 'pending')
      throw new ToolError('invalid_input', `file_ids.${at}: ${message}`, {
        issues: [{ path: `file_ids.${at}`, message }],
      })
    files.set(id, file)
  }
  return files
}
