import type { Version } from './fields.ts'

export type Operation = 'send' | 'get' | 'list' | 'cancel' | 'stream' | 'push' | 'extendedCard'

/** A JSON-RPC method: the version whose grammar it belongs to, and what it asks for. */
export type Method = { grammar: Version; operation: Operation }

const nameOperations = (grammar: Version, names: Record<string, Operation>) =>
  Object.entries(names).map(([name, operation]): [string, Method] => [name, { grammar, operation }])

/** Every method of A2A 0.3 and 1.0. */
export const methods: ReadonlyMap<string, Method> = new Map([
  ...nameOperations('0.3', {
    'message/send': 'send',
    'message/stream': 'stream',
    'tasks/get': 'get',
    'tasks/cancel': 'cancel',
    'tasks/resubscribe': 'stream',
    'tasks/pushNotificationConfig/set': 'push',
    'tasks/pushNotificationConfig/get': 'push',
    'tasks/pushNotificationConfig/list': 'push',
    'tasks/pushNotificationConfig/delete': 'push',
    'agent/getAuthenticatedExtendedCard': 'extendedCard',
  }),
  ...nameOperations('1.0', {
    SendMessage: 'send',
    SendStreamingMessage: 'stream',
    GetTask: 'get',
    ListTasks: 'list',
    CancelTask: 'cancel',
    SubscribeToTask: 'stream',
    CreateTaskPushNotificationConfig: 'push',
    GetTaskPushNotificationConfig: 'push',
    ListTaskPushNotificationConfigs: 'push',
    DeleteTaskPushNotificationConfig: 'push',
    GetExtendedAgentCard: 'extendedCard',
  }),
])
