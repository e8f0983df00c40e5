import { describe, expect, test } from 'vitest'
import { verifyConsistency, verifyInclusion } from '../../mcp/lib/merkle-proof.ts'
import { emptyRoot, hashLeaf, openTree, type Tree, treeOver } from '../../mcp/lib/merkle-tree.ts'
import { openHashIndex } from '../../mcp/services/proof/ledger/log.ts'

/** The test vectors of the reference implementation of Certificate Transparency. */
const referenceLeaves = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
]
const referenceRoots = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
]

const leafHash = (tree: Tree, index: number) => tree.node({ level: 0, index })

const grow = (count: number) => {
  const tree = openTree()
  for (let n = 0; n < count; n++) tree.append(hashLeaf(`leaf ${n}`))
  return tree
}

describe('the tree', () => {
  test('has the roots of the reference vectors', () => {
    const tree = openTree()
    expect(tree.root(0)).toEqual(emptyRoot)
    for (const [index, leaf] of referenceLeaves.entries()) {
      tree.append(hashLeaf(Buffer.from(leaf, 'hex')))
      expect(tree.root(index + 1).toString('hex')).toBe(referenceRoots[index])
    }
    for (const [index, root] of referenceRoots.entries())
      expect(tree.root(index + 1).toString('hex')).toBe(root)
  })

  test('proves each leaf in each size to 130, and no other leaf, place, size or root', () => {
    const tree = grow(130)
    for (let size = 1; size <= 130; size++) {
      const root = tree.root(size)
      for (let index = 0; index < size; index++) {
        const leaf = leafHash(tree, index)
        const proof = { index, size, path: tree.inclusion(index, size), root }
        const isProven = [
          verifyInclusion(leaf, proof),
          verifyInclusion(hashLeaf('another'), proof),
          verifyInclusion(leaf, { ...proof, index: index === 0 ? size : index - 1 }),
          verifyInclusion(leaf, { ...proof, path: [...proof.path, leaf] }),
          verifyInclusion(leaf, { ...proof, root: emptyRoot }),
          proof.path.length > 0 && verifyInclusion(leaf, { ...proof, path: proof.path.slice(1) }),
        ]
        expect(isProven).toEqual([true, false, false, false, false, false])
      }
    }
  })

  test('proves that the tree without leaves is the beginning of each, and only that', () => {
    const tree = grow(9)
    for (const size of [0, 1, 9]) {
      const newer = { size, root: tree.root(size) }
      expect(verifyConsistency({ size: 0, root: emptyRoot }, newer, [])).toBe(true)
      expect(verifyConsistency({ size: 0, root: tree.root(1) }, newer, [])).toBe(false)
      expect(verifyConsistency({ size: 0, root: emptyRoot }, newer, [emptyRoot])).toBe(false)
    }
  })

  test('proves that each size is the beginning of each later one, and nothing that is not', () => {
    const tree = grow(130)
    for (let to = 1; to <= 130; to++)
      for (let from = 1; from <= to; from++) {
        const older = { size: from, root: tree.root(from) }
        const newer = { size: to, root: tree.root(to) }
        const path = tree.consistency(from, to)
        expect(verifyConsistency(older, newer, path)).toBe(true)
        const forged = { size: from, root: hashLeaf('forged') }
        expect(verifyConsistency(forged, newer, path)).toBe(false)
        expect(verifyConsistency(older, { size: to, root: hashLeaf('forged') }, path)).toBe(false)
        expect(verifyConsistency(newer, older, path)).toBe(from === to)
      }
  })

  test('is the same where its nodes are kept elsewhere', async () => {
    const nodes = new Map<string, Buffer>()
    const kept = treeOver(async ({ level, index }) => nodes.get(`${level}:${index}`) ?? Buffer.alloc(32))
    const tree = grow(33)
    for (let size = 0; size < 33; size++)
      for (const { level, index, hash } of await kept.completed(size, leafHash(tree, size)))
        nodes.set(`${level}:${index}`, hash)
    for (let size = 0; size <= 33; size++) {
      expect(await kept.root(size)).toEqual(tree.root(size))
      for (let index = 0; index < size; index++) {
        expect(await kept.inclusion(index, size)).toEqual(tree.inclusion(index, size))
        expect(await kept.consistency(index, size)).toEqual(tree.consistency(index, size))
      }
    }
    await expect(kept.inclusion(33, 33)).rejects.toThrow(RangeError)
  })

  test.each([
    [5, 4],
    [0, 0],
    [-1, 3],
    [0.5, 3],
    [0, 131],
  ])('proves no leaf %d among %d', (index, size) => {
    expect(() => grow(130).inclusion(index, size)).toThrow(RangeError)
  })

  test('is not changed by who has its hashes', () => {
    const tree = grow(9)
    const root = tree.root(9).toString('hex')
    leafHash(tree, 3).fill(0)
    tree.hashes(0, 0, 9).fill(0)
    for (const hash of tree.inclusion(3, 9)) hash.fill(0)
    expect(tree.root(9).toString('hex')).toBe(root)
  })

  test('finds 5000 leaves by their hashes, and no other', () => {
    const tree = grow(5000)
    const index = openHashIndex(at => leafHash(tree, at))
    for (let n = 0; n < 5000; n++) index.add(leafHash(tree, n), n)
    index.add(leafHash(tree, 7), 6000)
    for (let n = 0; n < 5000; n++) expect(index.find(hashLeaf(`leaf ${n}`))).toBe(n)
    expect(index.find(hashLeaf('leaf 5000'))).toBeUndefined()
  })
})
