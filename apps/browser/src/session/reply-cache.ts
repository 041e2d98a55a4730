// The replies to the last commands, also while they are under way: a command sent again is not performed again.

const defaultMaxReplies = 32;

export function createReplyCache<Reply>(maxReplies = defaultMaxReplies) {
  const replies = new Map<string, Promise<Reply>>();
  return {
    get: (commandId: string) => replies.get(commandId),
    keep(commandId: string, reply: Promise<Reply>): Promise<Reply> {
      replies.set(commandId, reply);
      for (const oldest of replies.keys()) {
        if (replies.size <= maxReplies) break;
        replies.delete(oldest);
      }
      return reply;
    },
  };
}
