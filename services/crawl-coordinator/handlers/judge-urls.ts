/** Judges URLs as a run would, without one: in steps, for the runs that are under way come first. */
import type { JudgeUrls, JudgeUrlsAnswer } from '@tidemark/contracts/ask/judge'
import { type Circumstances, unbounded } from '../domain/decision.ts'
import { forecastSteps } from '../domain/forecast.ts'
import { inSteps } from '../turns/in-steps.ts'

export function judgeUrls(ports: Pick<Circumstances, 'robotsToken' | 'trapsOff' | 'runLimitMs'>) {
  return async (question: JudgeUrls): Promise<JudgeUrlsAnswer> => {
    const { robotsToken, trapsOff, runLimitMs } = ports
    const at = new Date().toISOString()
    const circumstances = {
      at,
      takeId: () => 1,
      window: 0,
      allowance: unbounded,
      cloudAllowance: unbounded,
      robotsToken,
      trapsOff,
      runLimitMs,
    }
    return inSteps(forecastSteps(question, circumstances))
  }
}
