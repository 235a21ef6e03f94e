package dev.blobmark.value.integration;

import java.util.HashMap;
import java.util.Map;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.context.ApplicationContext;

class Boot3StarterIT extends SpringBootContract {

    @Override
    Map<String, Object> health(ApplicationContext context) {
        Health health = context.getBean(HealthIndicator.class).health();
        Map<String, Object> all = new HashMap<>(health.getDetails());
        all.put("status", health.getStatus().getCode());
        return all;
    }
}
