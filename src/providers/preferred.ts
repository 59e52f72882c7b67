/**
 * What to use when there is a key and nobody named a model: providers in the order in which they are tried, each with the ids that are taken,
 * first one first. The models of the middle that their vendors offer for coding agents, not the dearest.
 */
export const preferred: readonly (readonly [provider: string, ids: readonly string[]])[] = [
  ["anthropic", ["claude-sonnet-5-5", "claude-sonnet-5"]],
  ["openai", ["gpt-6.1-terra", "gpt-6.1-sol", "gpt-5.5"]],
  ["google", ["gemini-4-carbon", "gemini-pro-latest"]],
  ["openrouter", ["anthropic/claude-sonnet-5.5", "deepseek/deepseek-v4.1-flash"]],
  ["deepseek", ["deepseek-v4-pro"]],
  ["xai", ["grok-4.7"]],
  ["moonshotai", ["kimi-k3.1-pro", "kimi-k3"]],
  ["zai", ["glm-5.3"]],
  ["mistral", ["devstral-latest", "mistral-large-latest"]],
  ["minimax", ["MiniMax-M3"]],
  ["vercel-ai-gateway", ["anthropic/claude-sonnet-5.5"]],
  ["opencode", ["claude-sonnet-5-5", "glm-5.3"]],
  ["groq", ["openai/gpt-oss-120b"]],
  ["cerebras", ["gpt-oss-120b"]],
  ["together", ["zai-org/GLM-5.3"]],
  ["fireworks", ["accounts/fireworks/models/glm-5p3"]],
]
