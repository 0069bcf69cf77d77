/** The secret that the project's webhooks are signed with. */
import { WebhookSecretView } from '@tidemark/contracts/http/webhook'
import type { App } from '../app.ts'

export type WebhookPorts = {
  /** In hex; made when it is first asked for. */
  readWebhookSecret: (projectId: number) => Promise<string>
}

export function webhookRoutes(app: App, { readWebhookSecret }: WebhookPorts): void {
  app.get(
    '/v1/webhook/secret',
    {
      schema: {
        operationId: 'getWebhookSecret',
        summary: 'Read the secret that webhooks are signed with',
        tags: ['Webhooks'],
        response: { 200: WebhookSecretView },
      },
    },
    async ({ caller }) => ({ secret_hex: await readWebhookSecret(caller.projectId) }),
  )
}
