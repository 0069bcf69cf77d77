/** API reference of liveness and readiness. */
import type { Operations } from '../reference/operation.ts'

export const health: Operations = {
  getHealth: {
    answer: { description: 'The process is running.', example: 'ok' },
  },
  getReady: {
    answers: {
      200: { description: 'All dependencies are available.', example: 'ready' },
      503: {
        description: 'At least one dependency is unavailable. `checks` names it.',
        headers: ['Retry-After'],
        example: {
          status: 'fail',
          error: {
            code: 'not_ready',
            message: 'Not ready: the database does not serve (timeout).',
            retry_after_seconds: 5,
            request_id: 'd14f099b-2a51-479a-91bd-5653ca4f6f6f',
          },
          checks: {
            database: { status: 'fail', observed_ms: 2000, cause: 'timeout' },
            worker_heartbeat: { status: 'pass', age_seconds: 1.2, max_age_seconds: 15, missing: [] },
            event_stream: { status: 'pass', observed_ms: 0.8, full: [] },
          },
        },
      },
    },
  },
}
