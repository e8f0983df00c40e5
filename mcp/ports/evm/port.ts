/** The five chains of the data skills. */
export type EvmChain = 'eth' | 'base' | 'arbitrum' | 'optimism' | 'polygon'

/** Every chain that can be read: those that stablecoins are paid on besides. */
export type EvmNetwork = EvmChain | 'base-sepolia' | 'arc'

/** A node's error for a call that it cannot do or that reverts; `data` are the bytes of a revert, in hex. */
export type EvmError = { code: number; message: string; data: string | null }

/** `endpoint` is the host that answered. */
export type EvmAnswer = ({ result: unknown; error?: never } | { error: EvmError; result?: never }) & {
  endpoint: string
}

export type EvmOptions = {
  /** Milliseconds over all endpoints of the chain. Default 6,000. */
  deadlineMs?: number
  /** A longer answer counts as one that cannot be given. Default 2 MiB. */
  maxBytes?: number
  /** A null counts only when a second endpoint says it too: nodes lag behind each other. */
  confirmNull?: boolean
  signal?: AbortSignal
}

/** A chain on this machine that stands in for a real one, with its id. */
export type LocalEvm = {
  /** Names one run of the chain, which begins empty. Starts it unless it runs. */
  generation(): Promise<string>
  /** As `ask` of the port. What anvil offers besides (`anvil_…`) is answered too. */
  ask(method: string, params: readonly unknown[], options?: EvmOptions): Promise<EvmAnswer>
}

/** Reads of EVM chains over JSON-RPC, from the first configured endpoint that answers for the right chain. */
export type Evm = {
  /** Asks one question. A revert is an answer; throws a retryable `upstream` when no endpoint has one. */
  ask(chain: EvmNetwork, method: string, params: readonly unknown[], options?: EvmOptions): Promise<EvmAnswer>
  /** The chain on this machine that payments are made on instead; undefined where they are made on the real one. */
  local?(chain: EvmNetwork): LocalEvm | undefined
}
