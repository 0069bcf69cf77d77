/** Schema `read`: the projector writes it from the streams alone, and the gateway reads it. It can be rebuilt at any time. */
import { defineDatabase } from '@tidemark/db/database'
import { CrawlFields } from './migrations/2026-11-21-crawl-fields.ts'
import { Deletions } from './migrations/2026-11-21-deletions.ts'
import { Diff } from './migrations/2026-11-21-diff.ts'
import { First } from './migrations/2026-11-21-first.ts'
import { Log } from './migrations/2026-11-21-log.ts'
import { PreviousRun } from './migrations/2026-11-21-previous-run.ts'
import { ProjectCaps } from './migrations/2026-11-21-project-caps.ts'
import { ProjectProxy } from './migrations/2026-11-21-project-proxy.ts'
import { RunLookups } from './migrations/2026-11-21-run-lookups.ts'
import { RunSite } from './migrations/2026-11-21-run-site.ts'
import { RunWebhook } from './migrations/2026-11-21-webhook.ts'
import { CheckpointTimes } from './migrations/2026-11-22-checkpoint-times.ts'
import { RedirectTargets } from './migrations/2026-11-22-redirect-targets.ts'
import { Rendered } from './migrations/2026-11-22-rendered.ts'
import { ErrorReason } from './migrations/2026-11-23-error-reason.ts'
import { Comparison } from './migrations/2026-11-25-comparison.ts'
import { Paused } from './migrations/2026-11-25-paused.ts'
import { ActiveRuns } from './migrations/2026-11-26-active-runs.ts'
import { Intent } from './migrations/2026-11-26-intent.ts'
import { WaitingIntents } from './migrations/2026-11-26-waiting-intents.ts'
import { Forks } from './migrations/2026-11-27-forks.ts'
import { SharesEnded } from './migrations/2026-11-27-shares-ended.ts'
import { Peers } from './migrations/2026-11-28-peers.ts'
import { Reopened } from './migrations/2026-11-28-reopened.ts'
import { WideScope } from './migrations/2026-11-28-wide-scope.ts'

export const database = defineDatabase({
  schema: 'read',
  entities: [],
  migrations: {
    First,
    RunWebhook,
    Deletions,
    PreviousRun,
    CrawlFields,
    ProjectProxy,
    RunSite,
    RunLookups,
    Log,
    ProjectCaps,
    Diff,
    Rendered,
    RedirectTargets,
    CheckpointTimes,
    ErrorReason,
    Paused,
    Comparison,
    Intent,
    WaitingIntents,
    SharesEnded,
    ActiveRuns,
    Forks,
    Peers,
    Reopened,
    WideScope,
  },
})
