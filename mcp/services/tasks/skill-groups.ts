import type { SkillGroup } from '../../kernel/service.ts'

/** The seven skills of the specification; the tools name the one that they are an operation of. */
export const skillGroups: readonly SkillGroup[] = [
  {
    id: 'publish-task',
    name: 'Publish a task',
    description:
      'Publishes a task for people, agents or robots with a bounty, a deadline and the evidence to hand in. The bounty is never guessed.',
    tags: ['tasks', 'hire'],
    default: 'publish_task',
  },
  {
    id: 'manage-tasks',
    name: 'Manage tasks',
    description:
      'Lists, finds and reads tasks, their state and history, lists applications, assigns a worker, cancels.',
    tags: ['tasks'],
    default: 'list_tasks',
  },
  {
    id: 'review-submissions',
    name: 'Review submissions',
    description:
      'Reads evidence and approves it, which pays the worker, asks for more, rejects, and carries disputes to an end.',
    tags: ['evidence', 'review', 'disputes'],
  },
  {
    id: 'worker-management',
    name: 'Workers',
    description:
      'Registers workers, applies, starts and hands in work, reads statistics and reputation, rates.',
    tags: ['workers', 'reputation'],
  },
  {
    id: 'batch-operations',
    name: 'Publish many tasks',
    description: 'Publishes up to 50 tasks in one operation, all or none, or each with a result of its own.',
    tags: ['tasks', 'batch'],
    default: 'batch_create_tasks',
    inputModes: ['application/json'],
  },
  {
    id: 'analytics',
    name: 'Analytics',
    description:
      'Completion rates, times per step, bounty statistics and spending, counted from what happened.',
    tags: ['analytics'],
    default: 'task_analytics',
  },
  {
    id: 'payments',
    name: 'Payments',
    description:
      'Balance, deposits by x402, escrow, payment per deliverable, bonus, refunds and withdrawals, with every movement.',
    tags: ['payments', 'escrow', 'x402'],
    inputModes: ['application/json'],
  },
]
