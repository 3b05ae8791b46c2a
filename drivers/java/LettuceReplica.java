package drivers;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.masterreplica.MasterReplica;

/** The connection of Lettuce that knows the primary and the replicas, and listens to what the Sentinels announce. */
final class LettuceReplica extends Lettuce {
  @Override
  StatefulRedisConnection<String, String> open(RedisClient client, RedisURI uri) {
    return MasterReplica.connect(client, StringCodec.UTF8, uri);
  }
}
