export type Version = '0.3' | '1.0'
export type Fields = Readonly<Record<string, unknown>>

/** Names of A2A 1.0 that ProtoJSON may also spell as in the proto file. */
const protoNames = {
  messageId: 'message_id',
  contextId: 'context_id',
  taskId: 'task_id',
  mediaType: 'media_type',
  returnImmediately: 'return_immediately',
  historyLength: 'history_length',
  pageSize: 'page_size',
  pageToken: 'page_token',
  includeArtifacts: 'include_artifacts',
  statusTimestampAfter: 'status_timestamp_after',
} as const

/** A field by its JSON name or its proto name: parsers of ProtoJSON accept both. */
export const field = (from: Fields, name: keyof typeof protoNames): unknown =>
  from[name] ?? from[protoNames[name]]
