/** The Solana cluster that payments are taken on. */
export type Solana = {
  title: string
  /** It is on this machine and only claims to be this cluster. */
  local: boolean
  /** Address of its JSON-RPC; it may hold a key. A local one starts with its first use. */
  rpc(): Promise<string>
  /** Secret key, base58, of a wallet that pays fees on a local cluster. Throws where the cluster is real. */
  localKey(): Promise<string>
}
