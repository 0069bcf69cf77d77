/** Computes the tree of a run from its stored pages, signs its root, and has the signature time-stamped. */
import type { Evidence, EvidenceLeaf, PageEvidence } from '@tidemark/contracts/http/evidence'
import { maxStampsPerDay } from '@tidemark/contracts/rpc/time-stamp'
import { ApiProblem } from '../http/domain/problem.ts'
import type { OfRun } from '../read-model/adapters/crawled-pages.ts'
import { runActive } from '../read-model/existing-run.ts'
import type { EndedRun, LeafReads } from './adapters/leaf-reads.ts'
import type { Stamp, Stamped } from './adapters/time-stamps.ts'
import { MerkleTree } from './domain/merkle.ts'
import { leafText, type Signer, signedEvidence } from './domain/signed.ts'

export type ProvePorts = {
  leafReads: LeafReads
  hasRun: (projectId: number, runId: number) => Promise<boolean>
  /** Null: this installation signs no evidence. */
  signer: Signer | null
  /** Null: this installation uses no Time-Stamp Authority. */
  stamp: Stamp | null
  now: () => number
}

/** The request that waits for the proof. */
type Waiting = {
  /** Aborts when the client disconnects. */
  signal: AbortSignal
  /** Adds a warning to the response. */
  warn: (text: string) => void
}

export type Prove = {
  /** Returns the signed root of a run, whose facts are those of `assertEnded`. */
  run(run: OfRun, ended: EndedRun, waiting: Waiting): Promise<Evidence>
  /** Returns the proof of one of its pages; null: the run has no such page. */
  page(run: OfRun, ended: EndedRun, pageId: number, waiting: Waiting): Promise<PageEvidence | null>
}

/** Maximum milliseconds to compute a tree: enough for a million pages on a slow machine. */
const limitMs = 60_000

/** Opens the functions. They throw `ApiProblem` without a key, or if the run changes meanwhile. */
export function openProve(ports: ProvePorts): Prove {
  async function prove(run: OfRun, ended: EndedRun, pageId: number | null, waiting: Waiting) {
    const { leafReads, signer, now } = ports
    if (signer === null) throw new ApiProblem('not_configured', { message: noKey })
    const { tree, proven } = await treeOf(leafReads.pieces(run), pageId, waiting.signal)
    const after = await assertUnchanged(run, ended)
    const { size, root, auditPath } = tree.finish()
    const facts = { ...after, page_count: size, root, signed_at: new Date(now()).toISOString() }
    const signed = signedEvidence(facts, signer)
    return { evidence: await stamped(run, ended, signed, waiting), proven, auditPath }
  }

  async function stamped(run: OfRun, ended: EndedRun, signed: Evidence, { warn }: Waiting) {
    if (ports.stamp === null) return signed
    const { evidence, why } = await stampOf(ports.stamp, run, signed)
    await assertUnchanged(run, ended)
    if (why !== null) warn(`This evidence has no time-stamp: ${reasons[why]}`)
    return evidence
  }

  /** Returns the run as it is now. Its failed pages may have been retried meanwhile, or the run deleted. */
  async function assertUnchanged(run: OfRun, ended: EndedRun): Promise<EndedRun> {
    const after = await assertEnded(ports, run)
    if (after.finished_at !== ended.finished_at) throw changed(run)
    return after
  }

  return {
    run: async (run, ended, waiting) => (await prove(run, ended, null, waiting)).evidence,

    async page(run, ended, pageId, waiting) {
      const { evidence, proven, auditPath } = await prove(run, ended, pageId, waiting)
      return proven && { ...proven, audit_path: auditPath, evidence }
    },
  }
}

/** An authority may charge each time-stamp, and without pages there is nothing to prove. */
async function stampOf(stamp: Stamp, run: OfRun, signed: Evidence): Promise<Stamped> {
  if (signed.statement.page_count === 0) return { evidence: { ...signed, timestamp: null }, why: 'no_pages' }
  return stamp(run, signed)
}

type Proven = Pick<PageEvidence, 'leaf' | 'leaf_index'>

async function treeOf(pieces: AsyncIterable<EvidenceLeaf[]>, pageId: number | null, signal: AbortSignal) {
  const tree = new MerkleTree()
  const isLate = AbortSignal.timeout(limitMs)
  let proven: Proven | null = null
  let index = 0
  for await (const leaves of pieces) {
    signal.throwIfAborted()
    if (isLate.aborted) throw new ApiProblem('timeout', { message: tooLate })
    for (const leaf of leaves) {
      if (leaf.id === pageId) proven = { leaf, leaf_index: index }
      tree.add(leafText(leaf), leaf.id === pageId)
      index++
    }
  }
  return { tree, proven }
}

/** Returns the run. @throws ApiProblem if the project has no such run, or it has not ended */
export async function assertEnded(
  { leafReads, hasRun }: Pick<ProvePorts, 'leafReads' | 'hasRun'>,
  run: OfRun,
): Promise<EndedRun> {
  const ended = await leafReads.run(run)
  if (ended !== null) return ended
  if (!(await hasRun(run.projectId, run.runId))) throw new ApiProblem('not_found')
  throw runActive(run.runId)
}

const changed = ({ runId }: OfRun) =>
  new ApiProblem('conflict', {
    reason: 'run_active',
    message: `Crawl ${runId} fetched its failed pages again meanwhile. Send the request again when it has ended.`,
  })

const noKey =
  'This installation signs no evidence. Its operator creates a key and sets EVIDENCE_KEY: see docs/evidence.md.'
const tooLate = `The tree of this crawl was not computed within ${limitMs / 1000} s. Read /evidence/leaves and compute it yourself.`

const later = 'The evidence is valid without it. Read it again later for one with a time-stamp.'

/** Why evidence has no time-stamp. The address of the authority is the operator's business, so no text has it. */
const reasons: Record<Exclude<Stamped['why'], null>, string> = {
  off: 'the extractor of this installation has no authority. Its operator sets EVIDENCE_TSA_URL there too.',
  unreached: `the Time-Stamp Authority could not be reached. ${later}`,
  late: `the Time-Stamp Authority did not respond in time. ${later}`,
  refused: `the Time-Stamp Authority refused the request. ${later}`,
  invalid: `the Time-Stamp Authority sent an invalid response. ${later}`,
  limited: `the project has used its ${maxStampsPerDay} time-stamps of this UTC day. The evidence is valid without it. Read it again after midnight UTC for one with a time-stamp.`,
  no_pages: 'the crawl stored no pages, so there is nothing to prove.',
  unavailable: `time-stamps are not available now. ${later}`,
}
